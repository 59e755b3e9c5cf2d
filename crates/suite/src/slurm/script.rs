//! The scripts that Slurm runs.

use std::path::Path;

use super::groups::Group;
use super::options::Options;

/// The exit code of a task that was stopped and can be continued: `EX_TEMPFAIL`.
pub const STOPPED: u8 = 75;

/// The time between the signal to save and the end of a job, in seconds.
const GRACE: u32 = 120;

/// A word of a shell command.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The lines that all scripts begin with.
fn head(name: &str, log: &Path, options: &Options) -> String {
    let mut text = format!("#!/bin/bash\n#SBATCH --job-name={name}\n");
    let mut add = |option: String| text.push_str(&format!("#SBATCH {option}\n"));
    add(format!("--output={}", quoted(&log.display().to_string())));
    add("--open-mode=append".into());
    add("--nodes=1".into());
    add("--ntasks=1".into());
    if let Some(partition) = &options.partition {
        add(format!("--partition={}", quoted(partition)));
    }
    if let Some(time) = &options.time {
        add(format!("--time={}", quoted(time)));
    }
    options.sbatch.iter().for_each(|option| add(option.clone()));
    text
}

/// The script of an array. `program` is the command line of the suite without the experiment.
///
/// A task whose time is nearly over receives SIGUSR1. The suite then saves the training and exits with
/// [`STOPPED`], and the task goes back to the queue. A task that is cancelled receives SIGTERM: it is saved
/// and does not go back. A task that is preempted or whose node fails is requeued by Slurm itself. In all
/// cases, training resumes from its last checkpoint.
pub fn array(group: &Group, indices: &str, log: &Path, program: &[String], options: &Options) -> String {
    let mut text = head("logicvae", log, options);
    let mut add = |option: String| text.push_str(&format!("#SBATCH {option}\n"));
    add(format!("--array={indices}"));
    add(format!("--cpus-per-task={}", options.cpus));
    if options.gpus > 0 {
        add(format!("--gpus={}", options.gpus));
    }
    add("--requeue".into());
    add(format!("--signal=B:USR1@{GRACE}"));
    text.push_str("\ncase $SLURM_ARRAY_TASK_ID in\n");
    for (index, name) in &group.tasks {
        text.push_str(&format!("  {index}) experiment={} ;;\n", quoted(name)));
    }
    text.push_str("  *) echo \"there is no task $SLURM_ARRAY_TASK_ID\" >&2; exit 2 ;;\nesac\n");
    let words: Vec<String> = program.iter().map(|word| quoted(word)).collect();
    text.push_str(&format!(
        r#"
{} --task "$experiment" &
child=$!
again=no
trap 'again=yes; kill -TERM "$child"' USR1
trap 'kill -TERM "$child"' TERM
wait "$child"
status=$?
# A signal ends the first wait before the program has ended.
while kill -0 "$child" 2>/dev/null; do
  wait "$child"
  status=$?
done
if [ "$again" = yes ] && [ "$status" -eq {STOPPED} ]; then
  scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID"
fi
exit "$status"
"#,
        words.join(" ")
    ));
    text
}

/// The script of the last job, which writes the report.
pub fn report(log: &Path, program: &[String], options: &Options) -> String {
    let words: Vec<String> = program.iter().map(|word| quoted(word)).collect();
    format!("{}\nexec {} --report\n", head("logicvae-report", log, options), words.join(" "))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::slurm::groups::After;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        assert_eq!(quoted("--time=1-00:00:00"), "--time=1-00:00:00");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn scripts_are_valid_bash_and_name_every_task() {
        let tasks: BTreeMap<usize, String> = [(0, "data-3".into()), (4, "gcn-3".into())].into();
        let group = Group { after: After::Nothing, tasks };
        let options = Options {
            partition: Some("long".into()),
            time: Some("12:00:00".into()),
            cpus: 4,
            gpus: 1,
            sbatch: vec!["--account=logic".into()],
        };
        let program = ["/opt/logicvae suite/logicvae-suite".to_owned(), "--scale".into(), "paper".into()];
        let log = Path::new("/scratch/runs/slurm/%A_%a.log");
        let script = array(&group, "0,4", log, &program, &options);
        for line in [
            "#SBATCH --partition=long",
            "#SBATCH --time=12:00:00",
            "#SBATCH --account=logic",
            "#SBATCH --array=0,4",
            "#SBATCH --cpus-per-task=4",
            "#SBATCH --gpus=1",
            "#SBATCH --requeue",
            "  4) experiment=gcn-3 ;;",
            "'/opt/logicvae suite/logicvae-suite' --scale paper --task \"$experiment\" &",
        ] {
            assert!(script.lines().any(|found| found == line), "no line `{line}` in {script}");
        }
        for text in [script, report(log, &program, &options)] {
            let mut bash = std::process::Command::new("bash");
            let Ok(output) = bash.args(["-n", "-c", &text]).output() else { continue };
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}
