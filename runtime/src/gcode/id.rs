//! The indices of a program's tables.

crate::define_index! {
    /// A supercombinator, CAF, constructor function, primitive or host function.
    pub GlobalId;
    /// A data type.
    pub DataId;
    /// A constructor.
    pub ConId;
    /// An integer literal of more than 64 bits.
    pub BigId;
    /// A string literal.
    pub TextId;
    /// A host function.
    pub HostId;
}
