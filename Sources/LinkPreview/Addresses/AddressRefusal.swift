package import Basics

/// An address that may not be dialled, and the reason.
package struct AddressRefusal: Sendable, Hashable {
  package enum Reason: Sendable, Hashable {
    /// Outside the public internet.
    case notPublic
    /// One of this machine's own addresses.
    case ownAddress
  }

  package let address: IPAddress
  package let reason: Reason
}
