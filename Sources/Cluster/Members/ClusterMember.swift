/// A server as the others know it.
package struct ClusterMember: Sendable, Hashable {
  package let id: ServerID
  /// Its number in addresses and ids, 0…255.
  ///
  /// The registry gives the next after the last one given, so a number comes back only after all
  /// others.
  package let slot: UInt16
  /// The name that its operator gave it, for people.
  package let name: String
  /// The highest version of data frames, and of the messages in them, that it speaks.
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
