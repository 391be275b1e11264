import Store

/// What the store is told to change of a message; the protocol has a type of the same name.
typealias StoredMessageChanges = MessageChanges
