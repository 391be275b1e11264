import Channels
import Store
import Synchronization

/// A file that is safe on disk and on its way to its message.
///
/// Goes with the last that holds on to it, unless it was handed to the store: from then on the store
/// tells whether it has a message.
final class UploadedFile: Sendable {
  let record: FileRecord
  private let files: FileStore
  private let isHandedOver = Atomic(false)

  init(_ record: FileRecord, in files: FileStore) {
    self.record = record
    self.files = files
  }

  deinit {
    if !isHandedOver.load(ordering: .acquiring) { remove() }
  }

  /// Takes note that a message with it is on its way to be stored.
  func handOver() {
    isHandedOver.store(true, ordering: .releasing)
  }

  /// Removes it: it came to belong to no message.
  func remove() {
    files.remove(record.id)
  }
}
