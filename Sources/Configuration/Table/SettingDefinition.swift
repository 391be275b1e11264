/// A setting: its name, its help text, and the conversion of its text into ``Settings``.
package struct SettingDefinition: Sendable {
  /// The number of values of a setting and their notation.
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

  /// The value of a setting that is not given.
  enum Default: Sendable {
    /// This value, as it would be written.
    case value(String)
    /// Nothing.
    case nothing
    /// A value described by this phrase.
    case described(String)
  }

  /// An invalid value.
  struct Refusal: Error {
    /// The first invalid value.
    let value: String
  }

  /// The name in its three parts' notation, such as `limits.flood.window_ms`.
  let name: String
  let shape: Shape
  var disclosure = Disclosure.open
  let defaultValue: Default
  /// A description of valid values that can follow "expected".
  let expected: String
  /// A sentence for the help text.
  let help: String
  /// Stores the values in the settings; exactly one value unless the shape is a list.
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
