/// One setting: its name, what it is for, and how its text becomes part of ``Settings``.
package struct SettingDefinition: Sendable {
  /// How many values a setting takes, and how they are written.
  enum Shape: Sendable {
    /// One value.
    case single
    /// `true` or `false`; as a flag without a value it means `true`.
    case toggle
    /// Any number of values, separated by commas, or given by several flags or as a list.
    case list
  }

  /// Whether a value may appear in messages.
  enum Disclosure: Sendable {
    case open
    case secret
  }

  /// The value when the setting is not given.
  enum Default: Sendable {
    /// This value, as it would be written.
    case value(String)
    /// Nothing.
    case nothing
    /// A value that this sentence describes.
    case described(String)
  }

  /// Values that the setting does not take.
  struct Refusal: Error {
    /// The first of them.
    let value: String
  }

  /// The name in its three parts' notation, such as `limits.flood.window_ms`.
  let name: String
  let shape: Shape
  var disclosure = Disclosure.open
  let defaultValue: Default
  /// The values that it takes, to follow "expected".
  let expected: String
  /// One sentence for the help text.
  let help: String
  /// Puts the values into the settings; exactly one unless the shape is a list.
  let store: @Sendable (inout Settings, [String]) throws(Refusal) -> Void

  /// The flag, such as `--limits-flood-window-ms`.
  var flag: String {
    "--" + name.replacing(".", with: "-").replacing("_", with: "-")
  }

  /// The environment variable, such as `PARLEY_LIMITS_FLOOD_WINDOW_MS`.
  var variable: String {
    "PARLEY_" + name.replacing(".", with: "_").uppercased()
  }
}
