import TestSupport
import Streams
import Testing

@Suite("Reloading a server's certificate", .onOwnThreads)
struct ServerContextHolderTests {
  let workspace: Workspace
  let holder: TLSServerContextHolder

  init() throws {
    workspace = try Workspace()
    holder = try TLSServerContextHolder(
      certificatePath: workspace.path("server.pem"), privateKeyPath: workspace.path("server.key"))
  }

  private func accepts(hostname: String) throws -> Bool {
    let conversation = try Conversation(
      client: workspace.makeClientContext(), server: holder.current, hostname: hostname)
    do {
      try conversation.begin()
      return true
    } catch TLSError.certificateRejected {
      return false
    }
  }

  @Test("new connections get the new certificate, open ones keep theirs")
  func reload() throws {
    let open = try Conversation(client: workspace.makeClientContext(), server: holder.current)
    try open.begin()
    try workspace.install(Certificate(names: ["DNS:new.test"], issuer: workspace.authority))
    #expect(try accepts(hostname: "localhost"))
    try holder.reload()
    #expect(try accepts(hostname: "new.test"))
    #expect(try !accepts(hostname: "localhost"))
    try open.sendFromClient([1])
    try open.deliver()
    #expect(open.receivedByServer == [1])
  }

  @Test("files that cannot be used leave the old certificate in place")
  func badReload() throws {
    try workspace.write("nothing", to: "server.pem")
    #expect(throws: TLSError.self) { try holder.reload() }
    #expect(try accepts(hostname: "localhost"))
  }
}
