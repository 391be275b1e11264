internal import Bytes
internal import HTTP1
internal import ArgumentParser

/// One key, or all.
struct KeyChoice: ParsableArguments {
  @Argument(help: "The item's key.")
  var key: String?

  @Flag(help: "All items.")
  var all = false

  func validate() throws {
    guard all == (key == nil) else { throw ValidationError("give either a key or --all") }
    guard key?.isEmpty != true else { throw ValidationError("the key is empty") }
  }

  /// What follows the place of all items in the Platform API.
  var pathPart: String { key.map { "/" + PercentEncoding.encode(pathPart: $0) } ?? "" }
}
