import Testing

@testable import ParleyClient

@Suite("A session seen from outside")
struct SessionViewTests {
  @Test("connects once, and reconnects after that, until it is connected anew")
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
