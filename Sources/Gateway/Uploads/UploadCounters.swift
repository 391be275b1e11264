import Synchronization

/// Counts of uploads on this server.
final class UploadCounters: Sendable {
  enum Event: Int, CaseIterable, Sendable {
    case created
    case completed
    case cancelled
    case refused
    case full

    /// The value of the label `outcome`.
    var label: String {
      switch self {
      case .created: "created"
      case .completed: "completed"
      case .cancelled: "cancelled"
      case .refused: "refused"
      case .full: "storage_full"
      }
    }
  }

  private let counts = Mutex([UInt64](repeating: 0, count: Event.allCases.count))
  private let bytes = Atomic<UInt64>(0)

  func add(_ event: Event) { counts.withLock { $0[event.rawValue] += 1 } }

  func count(of event: Event) -> UInt64 { counts.withLock { $0[event.rawValue] } }

  /// Counts bytes that were written.
  func add(byteCount: Int) { bytes.wrappingAdd(UInt64(byteCount), ordering: .relaxed) }

  var byteCount: UInt64 { bytes.load(ordering: .relaxed) }
}
