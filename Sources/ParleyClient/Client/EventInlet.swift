internal import Synchronization

/// Leads an engine's events to its client without keeping that.
final class EventInlet: Sendable {
  private let core = Mutex<Weak<ClientCore>?>(nil)

  func connect(to core: ClientCore) {
    self.core.withLock { $0 = Weak(core) }
  }

  func take(_ event: EngineEvent) {
    core.withLock { $0?.value }?.receive(event)
  }
}
