//! A cluster of two nodes on this machine.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::shell::{self, command, exists, output};

const NODES: [(&str, u16); 2] = [("logicvae-1", 16818), ("logicvae-2", 16819)];

/// Waits for a moment: other programs are observed from outside.
#[allow(clippy::disallowed_methods)]
pub fn pause(milliseconds: u64) {
    std::thread::sleep(Duration::from_millis(milliseconds));
}

/// Installs Slurm and munge if necessary, and starts munge.
pub fn install() -> Result<()> {
    if !exists("slurmctld", "-V") || !exists("munged", "--version") {
        let install = "apt-get update && apt-get install --yes slurm-wlm munge";
        shell::run(command("sh").args(["-c", install]))
            .context("Slurm is missing: install slurm-wlm and munge, as root")?;
    }
    let works = || shell::run(command("sh").args(["-c", "munge -n | unmunge > /dev/null"])).is_ok();
    if !works() {
        let start = "mkdir -p /run/munge && chown munge: /run/munge && runuser -u munge -- munged";
        shell::run(command("sh").args(["-c", start])).context("munge cannot be started")?;
        pause(1000);
        ensure!(works(), "munge does not work: see /var/log/munge/munged.log");
    }
    Ok(())
}

/// A task of an array that is waiting or running.
pub struct Task {
    /// The array and the index, such as `3_1`.
    pub id: String,
    /// Where it runs; empty if it waits.
    pub node: String,
}

/// The daemons, which end with this value.
pub struct Cluster {
    config: PathBuf,
    daemons: Vec<(String, Child)>,
}

impl Cluster {
    /// Starts the daemons, and waits until both nodes are idle.
    pub fn start(scratch: &Path) -> Result<Self> {
        let folder = scratch.join("state");
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let config = scratch.join("slurm.conf");
        fs::write(&config, configuration(&folder)).context("cannot write slurm.conf")?;
        let mut cluster = Self { config, daemons: Vec::new() };
        cluster.spawn(scratch, "slurmctld", &[])?;
        for (node, _) in NODES {
            cluster.spawn(scratch, "slurmd", &["-N", node])?;
        }
        for _ in 0..60 {
            pause(500);
            let idle = output(cluster.with(command("sinfo").args(["-h", "-N", "-o", "%N %t"])));
            if idle.is_ok_and(|text| text.lines().filter(|line| line.ends_with(" idle")).count() == 2) {
                return Ok(cluster);
            }
        }
        anyhow::bail!("the nodes are not ready: see the logs in {}", scratch.display())
    }

    /// A command that talks to this cluster.
    pub fn with<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("SLURM_CONF", &self.config)
    }

    /// All jobs that are waiting or running.
    pub fn queue(&self) -> Result<Vec<Task>> {
        let text = output(self.with(command("squeue").args(["-h", "-r", "-o", "%i|%N"])))?;
        let task = |line: &str| {
            let (id, node) = line.split_once('|')?;
            Some(Task { id: id.trim().to_owned(), node: node.trim().to_owned() })
        };
        Ok(text.lines().filter_map(task).collect())
    }

    /// Ends everything on a node at once, as a power failure would.
    pub fn fail(&mut self, node: &str) -> Result<()> {
        for (name, daemon) in &mut self.daemons {
            if name == node {
                daemon.kill().context("cannot end the daemon of the node")?;
                daemon.wait().ok();
            }
        }
        let jobs = processes_of(node);
        // The supervisors first, so that none reports how its job ended.
        let supervisors: Vec<u32> =
            jobs.iter().filter_map(|&pid| parent(pid)).filter(|&pid| is_supervisor(pid)).collect();
        for pid in supervisors.iter().chain(&jobs) {
            command("kill").args(["-KILL", &pid.to_string()]).stderr(Stdio::null()).status().ok();
        }
        let change = ["update", &format!("nodename={node}"), "state=down", "reason=failed"];
        shell::run(self.with(command("scontrol").args(change)))
    }

    /// Ends the daemons.
    pub fn stop(&mut self) {
        self.with(command("scontrol").arg("shutdown")).stderr(Stdio::null()).status().ok();
        pause(1000);
        for (_, daemon) in &mut self.daemons {
            daemon.kill().ok();
            daemon.wait().ok();
        }
        self.daemons.clear();
    }

    fn spawn(&mut self, scratch: &Path, program: &str, arguments: &[&str]) -> Result<()> {
        let name = arguments.last().copied().unwrap_or(program);
        let log = File::create(scratch.join(format!("{name}.out"))).context("cannot create a log")?;
        let mut daemon = command(program);
        daemon.args(["-D", "-f"]).arg(&self.config).args(arguments).env("SLURM_CONF", &self.config);
        daemon.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let child = daemon.spawn().with_context(|| format!("cannot start {program}"))?;
        self.daemons.push((name.to_owned(), child));
        Ok(())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if !self.daemons.is_empty() {
            self.stop();
        }
    }
}

fn configuration(folder: &Path) -> String {
    let folder = folder.display();
    let mut text = format!(
        "ClusterName=test\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort=16817\nSlurmUser=root\n\
         AuthType=auth/munge\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nMpiDefault=none\n\
         ReturnToService=2\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n\
         AccountingStorageType=accounting_storage/none\nJobAcctGatherType=jobacct_gather/none\n\
         SlurmctldPidFile={folder}/slurmctld.pid\nSlurmdPidFile={folder}/slurmd-%n.pid\n\
         SlurmdSpoolDir={folder}/spool-%n\nStateSaveLocation={folder}/controller\n\
         SlurmctldLogFile={folder}/slurmctld.log\nSlurmdLogFile={folder}/slurmd-%n.log\n\
         SchedulerParameters=sched_interval=2,bf_interval=2\n"
    );
    for (node, port) in NODES {
        text += &format!("NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs=1\n");
    }
    text + "PartitionName=test Nodes=logicvae-1,logicvae-2 Default=YES MaxTime=INFINITE State=UP\n"
}

/// The processes of the jobs on a node: Slurm names it in their environment.
fn processes_of(node: &str) -> Vec<u32> {
    let wanted = format!("SLURMD_NODENAME={node}");
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|line| line == wanted.as_bytes())
    })
    .collect()
}

fn parent(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

/// Whether a process is the part of Slurm that watches one job.
fn is_supervisor(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "slurmstepd")
}
