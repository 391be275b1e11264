/// The stored record of a file that belongs to a message.
package struct FileRecord: Sendable, Hashable {
  /// 32 hexadecimal digits; a file that is stored unencrypted can be read by any client that knows them.
  package var id: String
  /// The name shown to people; not a path.
  package var name: String
  /// The media type given by the sender; empty when it gave none.
  package var type: String
  /// The size in bytes.
  package var size: Int64
  /// The address, derived from the base that its request named; `nil` for a record that was read.
  package var url: String?
  /// The wrapped keys; `nil` for a file that is stored unencrypted.
  package var seal: FileSeal?

  package init(
    id: String, name: String, type: String, size: Int64, url: String? = nil, seal: FileSeal? = nil
  ) {
    self.id = id
    self.name = name
    self.type = type
    self.size = size
    self.url = url
    self.seal = seal
  }
}

/// The wrapped keys of a file that is stored encrypted.
package struct FileSeal: Sendable, Hashable {
  /// The id of the master key.
  package var masterKeyID: String
  package var keys: [UInt8]
  /// Whether the file may still be stored unencrypted, as it was before.
  package var isUnderWay: Bool

  package init(masterKeyID: String, keys: [UInt8], isUnderWay: Bool = false) {
    self.masterKeyID = masterKeyID
    self.keys = keys
    self.isUnderWay = isUnderWay
  }
}
