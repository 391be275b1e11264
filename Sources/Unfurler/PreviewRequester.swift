/// The party on whose behalf a link is looked up; parties take turns.
package enum PreviewRequester: Sendable, Hashable {
  /// The author of a message, by user id.
  case user(String)
  /// The operator of the deployment, and programs that act for it: they are trusted with all places.
  case operation
}
