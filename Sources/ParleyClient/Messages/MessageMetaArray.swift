internal import ParleyProtocol

/// One key of a message's extra data, with its distinct values in order.
public struct MessageMetaArray: Sendable, Hashable {
  /// At most 128 characters by default.
  public let key: String
  /// By default at most 100 values of at most 190 characters.
  public let value: [String]

  /// Creates a key with its values.
  public init(key: String, value: [String] = []) {
    self.key = key
    self.value = value
  }

  init(_ array: MetaArray) {
    self.init(key: array.key, value: array.values)
  }

  /// The form used in requests and messages.
  var metaArray: MetaArray { MetaArray(key: key, values: value) }
}
