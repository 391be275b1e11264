/// The outcome of reloading the settings.
package enum SettingsReload: Sendable {
  /// The settings are valid; some of the changes may only apply at the next start.
  case adopted(SettingsChange)
  /// The settings are invalid: the previous ones stay in force.
  case refused
}
