import Cluster
import ParleyProtocol
import Channels
import TestSupport
import Testing
import Transport

@testable import Gateway

@Suite("Draining another server", .onOwnThreads)
struct ClusterDrainTests {
  private let servers: DrivenServers
  private let target: DrivenServers.Server

  init() throws {
    servers = try DrivenServers(count: 2)
    target = servers.servers[1]
  }

  private func drain(_ id: ServerID) throws -> String {
    try servers.platform(
      ClusterEndpoints.drain, PathArguments(["server_id": "\(id)"]), on: 0
    ).text
  }

  @Test("is confirmed by that server")
  func confirmed() throws {
    #expect(try drain(target.id) == "{}")
    #expect(target.services.stage == .draining)
    #expect(servers.servers[0].services.stage == .serving)
  }

  @Test("has an unknown outcome if it does not respond, and can be repeated")
  func lost() throws {
    servers.isLost = { [target] _, _, receiver in receiver == target.id }
    #expect(try drain(target.id) == "500901")
    #expect(target.services.stage == .serving)
    servers.isLost = { _, _, _ in false }
    #expect(try drain(target.id) == "{}")
    #expect(target.services.stage == .draining)
  }

  @Test("fails if the server does not exist")
  func absent() throws {
    #expect(throws: ServiceError.self) { try drain(ServerID(rawValue: 99)) }
  }
}
