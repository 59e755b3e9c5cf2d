//! Single settings given as text, such as `training.epochs=50`.

use super::renamed::current_name;
use crate::error::VaeError;

/// Sets `section.key=value` in a table. The value is parsed as TOML, or taken as text if that fails. Old
/// names of settings are accepted.
pub(super) fn set(table: &mut toml::Table, change: &str) -> Result<(), VaeError> {
    let invalid = |reason: &str| VaeError::Setting { setting: change.into(), reason: reason.into() };
    let (path, value) = change
        .split_once('=')
        .ok_or_else(|| invalid("give a setting as key=value, such as training.epochs=50"))?;
    let value = value.trim();
    let value = match format!("value = {value}").parse::<toml::Table>() {
        Ok(mut parsed) => parsed.remove("value").ok_or_else(|| invalid("the value is missing"))?,
        Err(_) => toml::Value::String(value.into()),
    };
    let path = current_name(path.trim());
    let (sections, key) = path.rsplit_once('.').unwrap_or(("", path));
    let mut section_table = table;
    for section in sections.split('.').filter(|s| !s.is_empty()) {
        let next = section_table.entry(section).or_insert_with(|| toml::Table::new().into());
        section_table =
            next.as_table_mut().ok_or_else(|| invalid(&format!("`{section}` is not a section")))?;
    }
    section_table.insert(key.into(), value);
    Ok(())
}
