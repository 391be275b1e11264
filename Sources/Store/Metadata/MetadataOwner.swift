/// Whose metadata is meant.
package enum MetadataOwner: Sendable, Hashable {
  /// By id.
  case user(String)
  /// By URL.
  case channel(String)
}

/// What an update does about items that are not there.
package enum MissingItems: Sendable {
  /// It passes them over.
  case skip
  /// It adds them.
  case insert
}
