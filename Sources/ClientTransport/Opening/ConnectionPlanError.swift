/// An error in the settings of a connection, found before any attempt is made.
package enum ConnectionPlanError: Error, Sendable, Hashable {
  /// A setting can't be used; the text names it.
  case invalidConfiguration(String)
}
