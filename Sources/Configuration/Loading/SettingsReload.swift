/// The outcome of reading the settings again.
package enum SettingsReload: Sendable {
  /// They are valid; a part of the changes may hold only from the next start on.
  case adopted(SettingsChange)
  /// They are not valid: those before stay in force.
  case refused
}
