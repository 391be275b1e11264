/// A file that came with a message, as the store knows it.
package struct FileRecord: Sendable, Hashable {
  /// 32 hexadecimal digits: who knows them may read a file that is stored in the clear.
  package var id: String
  /// For people; not a path.
  package var name: String
  /// The media type that its sender gave; empty when it gave none.
  package var type: String
  /// Bytes.
  package var size: Int64
  /// Its address by the base that the request with it named; `nil` for a record that was read.
  package var url: String?
  /// `nil` for a file that is stored in the clear.
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
  /// Whether the file may still be stored in the clear, as it was before.
  package var isUnderWay: Bool

  package init(masterKeyID: String, keys: [UInt8], isUnderWay: Bool = false) {
    self.masterKeyID = masterKeyID
    self.keys = keys
    self.isUnderWay = isUnderWay
  }
}
