/// A setting that reads well, but whose value cannot be put to use: a missing file, a wrong key.
package struct UnusableSetting: Error, CustomStringConvertible {
  /// The setting's name.
  package let setting: String
  /// The fault of its value, in words.
  package let reason: String

  package init(_ setting: String, reason: any Error) {
    self.setting = setting
    self.reason = "\(reason)"
  }

  package var description: String { "\(setting): \(reason)" }

  /// Returns the value of a setting put to use.
  ///
  /// - Throws: An error that names the setting when that fails.
  package static func named<Value>(
    _ setting: String, _ body: () throws -> Value
  ) throws(UnusableSetting) -> Value {
    do {
      return try body()
    } catch {
      throw UnusableSetting(setting, reason: error)
    }
  }
}
