/// A setting that reads well, but whose value cannot be put to use, and why.
package struct UnusableFetchSetting: Error, Sendable, Hashable, CustomStringConvertible {
  /// The setting's name.
  package let setting: String
  /// What is wrong with its value, in words.
  package let reason: String

  package var description: String { "\(setting): \(reason)" }
}
