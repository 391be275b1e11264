/// A setting that reads well, but whose value can't be put to use: a missing file, a wrong key.
struct UnusableSetting: Error, CustomStringConvertible {
  let setting: String
  let reason: any Error

  var description: String { "\(setting): \(reason)" }

  /// Does what the setting asks for, and names the setting when that fails.
  static func named<Value>(_ setting: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      throw UnusableSetting(setting: setting, reason: error)
    }
  }
}
