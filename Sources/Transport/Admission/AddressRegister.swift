internal import Synchronization

/// The connections of each address, over all event loops of the process.
///
/// Asked when a connection begins, opens and ends, never when something is delivered.
package final class AddressRegister: Sendable {
  private let tally: Mutex<AddressTally>

  package init(_ limits: AddressLimits) {
    tally = Mutex(AddressTally(limits))
  }

  func add(_ key: AddressKey) -> ExceededAddressLimit? { tally.withLock { $0.add(key) } }

  func open(_ key: AddressKey) { tally.withLock { $0.open(key) } }

  func reopen(_ key: AddressKey) -> ExceededAddressLimit? { tally.withLock { $0.reopen(key) } }

  func remove(_ key: AddressKey, isOpened: Bool) {
    tally.withLock { $0.remove(key, isOpened: isOpened) }
  }
}
