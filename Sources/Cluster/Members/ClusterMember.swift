/// A server as the others know it.
package struct ClusterMember: Sendable, Hashable {
  package let id: ServerID
  /// Its number in addresses and ids, 0…255.
  ///
  /// The registry assigns the next number after the last one assigned, so a number is reused only
  /// after all others.
  package let slot: UInt16
  /// The display name that its operator chose.
  package let name: String
  /// The highest version of data frames, and of the messages in them, that the server supports.
  package let version: UInt8

  package init(
    id: ServerID, slot: UInt16, name: String, version: UInt8 = LinkVersions.current.highest
  ) {
    self.version = version
    self.id = id
    self.slot = slot
    self.name = name
  }
}
