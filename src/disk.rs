//! Files behind a trait: the real disk and a memory disk that is stricter than it.
