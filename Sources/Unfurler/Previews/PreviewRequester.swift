/// The party for which a link is fetched; parties take turns.
package enum PreviewRequester: Sendable, Hashable {
  /// The author of a message, by user id.
  case user(String)
  /// The operator of the deployment, and programs that act for the operator: without limit.
  case operation
}
