//! Defaults of settings. A setting that was added later is only written where it differs from its default, so
//! that the text of older settings stays the same.

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

pub(super) fn one() -> usize {
    1
}

pub(super) fn is_one(value: &usize) -> bool {
    *value == 1
}
