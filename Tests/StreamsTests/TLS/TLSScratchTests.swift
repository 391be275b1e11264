import TestSupport
import Streams
import Testing

@Suite("The scratch that sessions share", .onOwnThreads)
struct TLSScratchTests {
  @Test("ciphertext accumulates until it is removed")
  func gathering() throws {
    let workspace = try Workspace()
    let scratch = try TLSScratch()
    let context = try workspace.makeClientContext()
    #expect(scratch.outgoing.isEmpty)
    try TLSSession(client: context, hostname: "localhost").startHandshake(scratch: scratch)
    let one = scratch.outgoing.count
    #expect(one > 0)
    try TLSSession(client: context, hostname: "localhost").startHandshake(scratch: scratch)
    #expect(scratch.outgoing.count == 2 * one)
    scratch.removeOutgoing()
    #expect(scratch.outgoing.isEmpty)
  }

  @Test("a session continues with another scratch, and outlives the first")
  func change() throws {
    let workspace = try Workspace()
    let client = try TLSSession(client: workspace.makeClientContext(), hostname: "localhost")
    let server = try TLSSession(server: workspace.makeServerContext())
    var plaintext: [UInt8] = []
    var flight = try { () throws in
      let first = try TLSScratch()
      try client.startHandshake(scratch: first)
      return first.take()
    }()
    while !flight.isEmpty {
      let second = try TLSScratch()
      _ = try server.receive(flight, plaintext: &plaintext, scratch: second)
      let third = try TLSScratch()
      _ = try client.receive(second.take(), plaintext: &plaintext, scratch: third)
      flight = third.take()
    }
    #expect(client.isEstablished && server.isEstablished)
  }
}
