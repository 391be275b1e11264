import Basics
import Channels
import ParleyProtocol
import Reactor
import Store

/// Writes all that names the users of a privacy request to a file, as lines of JSON objects with a type and
/// the data.
///
/// Confined to the first shard.
final class ArchiveWork: LongWork {
  /// The parts of one user's archive, in their order.
  private enum Part: Hashable {
    case rows(UserArchivePart)
    case messages
    case audit

    static let all = UserArchivePart.allCases.map(Part.rows) + [.messages, .audit]
  }

  private unowned let shard: Shard
  private let request: LongRequest
  private let parameters: PrivacyParameters?
  private let file: LongFile
  /// The places of the user and of the part, and the position in the part.
  private var user = 0
  private var part = 0
  private var place = ""
  private var isOpen = false
  private var pace = ReadingPace()
  private var whole: LongRequestProgress.Part?
  private var completion: ((LongRequestRun.Step) -> Void)?

  init(at request: LongRequest, on shard: Shard) {
    self.request = request
    self.shard = shard
    parameters = PrivacyParameters(params: request.params)
    file = LongFile(of: request, named: "users-\(request.id).ndjson.gz", on: shard)
    read(position: request.position)
  }

  private func read(position: String) {
    let parts = position.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    user = parts.first.flatMap { Int($0) } ?? 0
    part = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    place = parts.count > 2 ? String(parts[2]) : ""
  }

  private var position: String { "\(user) \(part) \(place)" }

  func step(_ completion: @escaping (LongRequestRun.Step) -> Void) {
    self.completion = completion
    guard let parameters else {
      return finish(.failed(reason: "its parameters are those of another version"))
    }
    if let whole { return file.finish(whole, finish) }
    guard isOpen else { return open() }
    guard user < parameters.userIDs.count else { return synchronize(isLast: true, pause: 0) }
    let userID = parameters.userIDs[user]
    switch Part.all[part] {
    case .rows(let kind): readRows(kind, of: userID)
    case .messages: readMessages(of: userID)
    case .audit: write(shard.services.auditLines(naming: userID), isLast: true, next: "", pause: 0)
    }
  }

  func didEnd() { file.removeRemains() }

  private func open() {
    file.open { [self] result in
      guard case .success = result else { return fail(result) }
      isOpen = true
      guard file.byteCount == 0 else { return again() }
      read(position: "")
      // An archive without lines is a file too.
      file.append([]) { [self] in $0.isSuccess ? again() : fail($0) }
    }
  }

  private func again() {
    if let completion { step(completion) }
  }

  private func readRows(_ kind: UserArchivePart, of userID: String) {
    let offset = Int(place) ?? 0
    let query = UserArchiveRows(of: userID, kind, after: offset)
    read(query) { work, rows, pause in
      work.write(
        rows.bytes, isLast: rows.rowCount < query.limit, next: "\(offset + rows.rowCount)",
        pause: pause)
    }
  }

  private func readMessages(of userID: String) {
    var filter = ExportFilter()
    filter.namedUserID = userID
    let query = ExportedMessages(filter, after: ExportPosition(place), as: ArchivedMessages())
    read(query) { work, page, pause in
      work.write(page.bytes, isLast: page.isLast, next: page.position.text, pause: pause)
    }
  }

  private func read<Query: StoreQuery>(
    _ query: Query, _ next: @escaping @Sendable (ArchiveWork, Query.Outcome, Int64) -> Void
  ) {
    let (path, work) = (shard.returnPath, LoopBound(self))
    shard.services.store.perform(query, for: .server) { result, cost in
      path.resume { shard in
        switch result {
        case .success(let outcome):
          let statistics = shard.services.store.statistics
          let pause = work.value.pace.pause(
            after: cost.nanoseconds, queryCount: statistics.queryCount,
            waiting: statistics.queryQueueLength)
          next(work.value, outcome, pause)
        case .failure(.closed): break
        case .failure(let error): work.value.finish(.postponed(reason: "\(error)"))
        }
      }
    }
  }

  private func write(_ bytes: [UInt8], isLast: Bool, next: String, pause: Int64) {
    if isLast {
      (part, place) = (part + 1, "")
      if part == Part.all.count { (user, part) = (user + 1, 0) }
    } else {
      place = next
    }
    guard !bytes.isEmpty else { return synchronize(isLast: false, pause: pause) }
    file.append(bytes) { [self] result in
      result.isSuccess ? synchronize(isLast: false, pause: pause) : fail(result)
    }
  }

  private func synchronize(isLast: Bool, pause: Int64) {
    file.synchronize { [self] result in
      switch result {
      case .failure(let failure): finish(LongRequestRun.Step(failure))
      case .success(var written):
        if isLast { whole = written }
        // Chunks after them may be sealed before the next record.
        written.rest?.isDirty = true
        finish(.advanced(position: position, part: written, rest: pause / 1_000_000))
      }
    }
  }

  private func fail(_ result: Result<Void, LongFile.Failure>) {
    if case .failure(let failure) = result { finish(LongRequestRun.Step(failure)) }
  }

  private func finish(_ step: LongRequestRun.Step) {
    let completion = completion
    self.completion = nil
    completion?(step)
  }
}

extension Result<Void, LongFile.Failure> {
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

/// Writes messages as lines of an archive.
private struct ArchivedMessages: ExportEncoder {
  func append(_ row: FoundMessage, to bytes: inout [UInt8]) {
    bytes += JSONWriter.bytes { writer in
      writer.object {
        $0.member("type", "message")
        $0.name("data")
        row.listed.message.encodeForPlatform(.unknown, into: &$0)
      }
    }
    bytes.append(UInt8(ascii: "\n"))
  }
}

extension GatewayServices {
  /// The lines of the audit log in memory that name a user, as lines of an archive.
  fileprivate func auditLines(naming userID: String) -> [UInt8] {
    guard let audit else { return [] }
    let name = JSONWriter.bytes { $0.value(userID) }
    let lines = audit.memory.lines(limit: AuditMemory.countLimit).lines.reversed()
    var bytes: [UInt8] = []
    for line in lines where line.json.contains(subsequence: name) {
      bytes += JSONWriter.bytes { writer in
        writer.object {
          $0.member("type", "audit")
          $0.member("data", raw: line.json)
        }
      }
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }
}

extension [UInt8] {
  fileprivate func contains(subsequence part: [UInt8]) -> Bool {
    guard let first = part.first, count >= part.count else { return false }
    return indices.dropLast(part.count - 1).contains { place in
      self[place] == first && self[place..<place + part.count].elementsEqual(part)
    }
  }
}
