import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Listing the members of a group", .onEachDatabase, .onOwnThreads)
struct MemberListingTests {
  private struct Ids: PageEncoder {
    func encode(_ listed: ListedMember) -> PageItem<String> {
      PageItem(listed.member.user.id, byteCount: 100)
    }
  }

  /// A group of 30 members, every third of whom is only invited; users of one batch have the same time.
  private func make(_ fixture: Fixture) async throws -> Int64 {
    try await fixture.store.write { transaction in
      for number in 10..<40 {
        _ = try transaction.upsertUser("u\(number)", nickname: "n\(number)", at: 1)
        if number % 3 == 0 {
          let id = "u\(number)"
          _ = try UserChoicesChange(of: id, acceptsInvitations: false).statements
            .run(transaction)
        }
      }
      let group = Channel(url: "den", createdAt: 5, group: Group(createdBy: User(id: "u39")))
      guard
        case .channel(let state) = try transaction.createGroup(
          group, epoch: "e", inviting: (30..<39).map { "u\($0)" })
      else { throw StoreError.exists }
      _ = try transaction.invite(
        (20..<30).reversed().map { "u\($0)" }, by: nil, to: "den", at: 7)
      for number in (10..<20).reversed() {
        _ = try transaction.join("u\(number)", "den", visibleFrom: 0, at: 40 - Int64(number))
      }
      return state.id
    }
  }

  private static let order =
    (30..<40).map { "u\($0)" } + (20..<30).map { "u\($0)" } + (10..<20).reversed().map { "u\($0)" }

  private func list(
    _ id: Int64, _ store: Store, state: MemberState? = nil,
    operators: MessageQuery.OperatorFilter = .all, active: UserQuery.ActiveMode = .all, limit: Int
  ) async throws -> [[String]] {
    var pages: [[String]] = []
    var token: String?
    repeat {
      let page = try await store.perform(
        MemberListing(
          channelID: id, state: state, operatorFilter: operators, activeMode: active, limit: limit,
          token: token, as: Ids()),
        for: .server)
      pages.append(page.items)
      token = page.next
    } while token?.isEmpty == false
    return pages
  }

  @Test("pages add up to all members, in the order in which they became members")
  func pages() async throws {
    let fixture = try await Fixture()
    let id = try await make(fixture)
    let pages = try await list(id, fixture.store, limit: 7)
    #expect(pages.map(\.count) == [7, 7, 7, 7, 2])
    #expect(pages.flatMap(\.self) == Self.order)
    #expect(try await list(id, fixture.store, limit: 100) == [Self.order])
    let state = try await fixture.store.read { try $0.channel("den") }
    #expect(state?.members.map(\.user.id) == Self.order)
    #expect(try await list(fixture.lobby.id, fixture.store, limit: 5) == [[]])
  }

  @Test("members of one state are listed, with their profiles")
  func states() async throws {
    let fixture = try await Fixture()
    let id = try await make(fixture)
    // The creator and those who joined by themselves have joined, whatever they prefer.
    let invited = Self.order.filter { (20..<39).contains(Int($0.dropFirst()) ?? 0) }.filter {
      (Int($0.dropFirst()) ?? 0) % 3 == 0
    }
    #expect(
      try await list(id, fixture.store, state: .invited, limit: 4).flatMap(\.self) == invited)
    #expect(
      try await list(id, fixture.store, state: .joined, limit: 4).flatMap(\.self)
        == Self.order.filter { !invited.contains($0) })
    let members = try await fixture.store.read { transaction in
      try transaction.listMembers(channelID: id, limit: 100) {
        PageItem($0.member, byteCount: 0)
      }.items
    }
    #expect(members.allSatisfy { $0.user.nickname == "n" + $0.user.id.dropFirst() })
    let state = try await fixture.store.read { try $0.channel("den") }
    #expect(members == state?.members)
  }

  @Test("members are listed by whether their users are activated")
  func activation() async throws {
    let fixture = try await Fixture()
    let id = try await make(fixture)
    let deactivated = ["u10", "u21", "u30", "u39"]
    try await fixture.store.write { transaction in
      for id in deactivated { try transaction.deactivateUser(id) }
    }
    let listed = Self.order.filter(deactivated.contains)
    let others = Self.order.filter { !deactivated.contains($0) }
    let store = fixture.store
    #expect(try await list(id, store, active: .deactivated, limit: 3).flatMap(\.self) == listed)
    #expect(try await list(id, store, active: .activated, limit: 7).flatMap(\.self) == others)
    #expect(try await list(id, store, limit: 100) == [Self.order])
    #expect(
      try await list(id, store, state: .invited, active: .deactivated, limit: 3)
        .flatMap(\.self) == ["u30", "u21"])
  }

  @Test("operators and other members are listed, in each state")
  func roles() async throws {
    let fixture = try await Fixture()
    let id = try await make(fixture)
    // An operator need not be a member.
    let operators = ["u11", "u30", "u21"]
    try await fixture.store.write { transaction in
      _ = try transaction.insertOperators(operators + ["ann"], channelID: id)
    }
    let listed = Self.order.filter(operators.contains)
    let others = Self.order.filter { !operators.contains($0) }
    let store = fixture.store
    #expect(try await list(id, store, operators: .operators, limit: 2).flatMap(\.self) == listed)
    #expect(try await list(id, store, operators: .others, limit: 9).flatMap(\.self) == others)
    #expect(
      try await list(id, store, state: .invited, operators: .operators, limit: 2).flatMap(\.self)
        == ["u30", "u21"])
  }

  @Test("a page keeps its place while members come, accept and go")
  func keepsPlace() async throws {
    let fixture = try await Fixture()
    let id = try await make(fixture)
    func page(_ token: String?) async throws -> ListPage<String> {
      try await fixture.store.perform(
        MemberListing(channelID: id, limit: 12, token: token, as: Ids()), for: .server)
    }
    let first = try await page(nil)
    try await fixture.store.write { transaction in
      _ = try transaction.depart([first.items[11], "u25"], from: "den", .left, at: 99)
      _ = try transaction.join("u24", "den", visibleFrom: 0, at: 99)
      _ = try transaction.join("ann", "den", visibleFrom: 0, at: 99)
    }
    var rest: [String] = []
    var token = first.next
    while !token.isEmpty {
      let page = try await page(token)
      rest += page.items
      token = page.next
    }
    #expect(rest == Self.order.dropFirst(12).filter { $0 != "u25" } + ["ann"])
  }

  @Test("a modified token, or one of another list, is refused")
  func tokens() async throws {
    let fixture = try await Fixture()
    let id = try await make(fixture)
    let listing = MemberListing(channelID: id, limit: 2, token: nil, as: Ids())
    let token = try await fixture.store.perform(listing, for: .server).next
    var others = Array(repeating: listing, count: 6)
    others[0].state = .joined
    others[1].channelID = fixture.lobby.id
    for index in others.indices { others[index].token = token }
    others[2].token = token + "a"
    others[3].token = "x"
    others[4].operatorFilter = .operators
    others[5].activeMode = .activated
    for other in others {
      await #expect(throws: StoreError.invalidPageToken) {
        try await fixture.store.perform(other, for: .server)
      }
    }
  }
}
