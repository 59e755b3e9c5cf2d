//! Parses arbitrary text as the settings of a run. Settings that are accepted can be written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use logicvae_vae::Config;

fuzz_target!(|text: &str| {
    if let Ok(config) = Config::from_toml(text) {
        let again = Config::from_toml(&config.to_toml().unwrap()).unwrap();
        assert_eq!(again, config);
    }
});
