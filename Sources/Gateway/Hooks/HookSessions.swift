import Channels
import ParleyProtocol
import Synchronization

/// The open sessions of this server as the app's back end sees them, for channels on all shards.
///
/// Written when sessions are opened and closed, and only if calls of channels are asked about.
final class HookSessions: Sendable {
  private let sessions = Mutex<[SessionAddress: HookSession]>([:])

  subscript(address: SessionAddress) -> HookSession? {
    get { sessions.withLock { $0[address] } }
    set { sessions.withLock { $0[address] = newValue } }
  }
}
