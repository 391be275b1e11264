import LinkPreview

/// The look-ups that operators have asked for, each by itself.
struct PreviewInspections {
  typealias Completion = @Sendable (PreviewExplanation) -> Void

  struct Inspection {
    let link: Link
    let completion: Completion
    var cached: PreviewEntry?
    var task: UnfurlTask?
    var disposition = AnswerDisposition.keep
  }

  private var inspections: [UInt64: Inspection] = [:]
  private var lastID: UInt64 = 0
  private var isClosed = false

  /// What asking for an explanation leads to.
  enum Admission {
    /// Begin; the number names it from now on.
    case admitted(UInt64)
    case full
    /// No more links are fetched.
    case closed
  }

  /// How many may be under way at a time.
  static let maximumCount = 8

  var count: Int { inspections.count }

  mutating func admit(_ link: Link, _ completion: @escaping Completion) -> Admission {
    if isClosed { return .closed }
    guard count < Self.maximumCount else { return .full }
    lastID += 1
    inspections[lastID] = Inspection(link: link, completion: completion)
    return .admitted(lastID)
  }

  /// Keeps what was remembered before.
  ///
  /// - Returns: `false` when nobody waits for it any more.
  mutating func note(_ cached: PreviewEntry?, in id: UInt64) -> Bool {
    guard inspections[id] != nil else { return false }
    inspections[id]?.cached = cached
    return true
  }

  /// Keeps the handle of a fetch that has begun.
  ///
  /// - Returns: `false` when nobody waits for it any more.
  mutating func attach(_ task: UnfurlTask, to id: UInt64) -> Bool {
    guard inspections[id] != nil else { return false }
    inspections[id]?.task = task
    return true
  }

  /// Lets the answers about some links not be remembered.
  mutating func discardAnswers(in scope: PreviewScope) {
    for (id, inspection) in inspections where scope.covers(inspection.link) {
      inspections[id]?.disposition = .discard
    }
  }

  mutating func end(_ id: UInt64) -> Inspection? { inspections.removeValue(forKey: id) }

  /// Ends all for good.
  mutating func close() -> [Inspection] {
    isClosed = true
    defer { inspections = [:] }
    return Array(inspections.values)
  }
}
