/// What is wrong with the settings of a connection, before any attempt is made.
package enum ConnectionPlanError: Error, Sendable, Hashable {
  /// A setting can't be used; the text names it.
  case invalidConfiguration(String)
}
