/// A user who blocks another one.
///
/// A block has one direction, and the blocked user cannot find out about it.
package struct Block: Sendable, Hashable {
  package var blockerID: String
  package var blockedID: String

  package init(by blockerID: String, of blockedID: String) {
    self.blockerID = blockerID
    self.blockedID = blockedID
  }
}
