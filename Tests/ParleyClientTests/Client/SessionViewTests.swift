import Testing

@testable import ParleyClient

@Suite("The public state of a session")
struct SessionViewTests {
  @Test("is connected once and then reconnected, until the next connect call")
  func connections() {
    var view = SessionView()
    #expect(view.change(to: .connecting) == nil)
    #expect(view.change(to: .connected) == .connected)
    let reconnecting = ConnectionState.reconnecting(
      attempt: 1, after: .seconds(1), because: .serverDraining)
    #expect(
      view.change(to: reconnecting)
        == .reconnecting(attempt: 1, after: .seconds(1), because: .serverDraining))
    #expect(view.change(to: .connected) == .reconnected)
    #expect(
      view.change(to: .disconnected(because: .requested)) == .disconnected(because: .requested))
    #expect(view.state == .disconnected(because: .requested))
    #expect(view.change(to: .connecting) == nil)
    #expect(view.change(to: .connected) == .connected)
  }
}
