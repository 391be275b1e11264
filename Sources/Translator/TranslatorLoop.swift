import Basics
import CCurl
import Curl
import Logging
import Reactor
import Translation

/// The work of a translator; confined to its loop's thread.
final class TranslatorLoop: CurlLoopOwner {
  /// A call for translations that are not cached in memory.
  struct Order: Sendable {
    let id: TranslationOrderID
    let texts: [(text: TranslationText, tags: [String])]
    let user: String?
    let known: TranslationResult
    let progress: Translator.Progress
    let completion: Translator.Progress
  }

  /// A request from another thread.
  enum Request: Sendable {
    case translate(Order)
    case cancel(TranslationOrderID)
  }

  private let loop: CurlLoop<TranslatorTransfer>
  private let configuration: TranslatorConfiguration
  private let shared: TranslatorState
  private let logger: Logger
  private let observe: @Sendable (UInt64) -> Void
  private var desk: TranslationDesk
  private var file: TranslationFile?
  private var orders: [TranslationOrderID: Order] = [:]
  private var nextLanguages: Int64 = 0
  private var languageFailures = 0
  private var areLanguagesAsked = false
  private var warnedOfBudget: Int64?
  /// The reason for the last failed query; it contains nothing of the text.
  private var lastFailure = ""
  private var storedUsage = DailyBudget()
  private var hasWarnedOfFile = false

  /// The interval in milliseconds between updates of the service's languages, which rarely change.
  private static let languagesInterval: Int64 = 600_000
  private static let languagesBackoff = Backoff(first: 1_000, limit: 60_000, jitter: .equal)

  init(
    _ loop: CurlLoop<TranslatorTransfer>, _ configuration: TranslatorConfiguration,
    _ shared: TranslatorState, logger: Logger, observe: @escaping @Sendable (UInt64) -> Void
  ) {
    self.loop = loop
    self.configuration = configuration
    self.shared = shared
    self.logger = logger
    self.observe = observe
    var bounds = TranslationDesk.Bounds(
      concurrency: configuration.concurrency, timeout: configuration.timeout,
      patience: configuration.patience)
    bounds.charactersPerDay = configuration.charactersPerDay
    bounds.charactersPerUserMinute = configuration.charactersPerUserMinute
    var budget = DailyBudget()
    if let path = configuration.path {
      do {
        let file = try TranslationFile.open(
          path, engine: configuration.cacheName, maximumBytes: configuration.diskBytes)
        budget = try file.readUsage()
        self.file = file
      } catch {
        logger.warning(
          "the file of translations cannot be used; keeping them in memory only",
          metadata: ["error": "\(error)"])
      }
    }
    storedUsage = budget
    desk = TranslationDesk(bounds, budget: budget)
  }

  func receive(_ request: Request) {
    switch request {
    case .translate(let order): take(order)
    case .cancel(let id): handle { $0.cancel(id, at: now, into: &$1) }
    }
  }

  func startTransfers() -> ContinuousClock.Instant? {
    let now = now
    if let time = desk.wakeTime, time <= now { handle { $0.wake(at: now, into: &$1) } }
    if nextLanguages <= now, !areLanguagesAsked { askForLanguages() }
    let times = [desk.wakeTime, areLanguagesAsked ? nil : nextLanguages].compactMap(\.self)
    return times.min().map { .now.advanced(by: .milliseconds(max(0, $0 - self.now))) }
  }

  func didEnd(_ transfer: TranslatorTransfer, _ result: CURLcode) {
    switch transfer.purpose {
    case .languages: learnLanguages(from: transfer, result)
    case .job(let id, let text):
      observe(UInt64(max(0, SystemClock.monotonicNanoseconds - transfer.startedAt)))
      let outcome = transfer.outcome(
        result, of: text, configuration.engine, at: configuration.now())
      note(outcome)
      handle { $0.end(id, outcome, at: now, jitter: .random(in: 0...1), into: &$1) }
    }
  }

  private func note(_ outcome: TranslationOutcome) {
    switch outcome {
    case .failed(let reason):
      lastFailure = reason
      logger.debug("a text was not translated", metadata: ["reason": "\(reason)"])
    case .timedOut: lastFailure = "no answer in time"
    case .text, .same, .refused, .overloaded, .notAsked: break
    }
  }

  func stop() {
    _ = loop.removeAll()
    handle { $0.close(into: &$1) }
    withFile { file in
      try file.store(desk.usage)
      file.close()
    }
    file = nil
  }

  // MARK: Orders

  private var now: Int64 { SystemClock.monotonicMilliseconds }

  /// Reads cached translations from the file, and passes the rest to the desk.
  private func take(_ order: Order) {
    var known = order.known
    var missing: [(text: TranslationText, tags: [String])] = []
    let time = configuration.now()
    for (text, tags) in order.texts {
      var entry = shared.recall(text, at: time)
      if entry == nil, configuration.cachesOnDisk,
        let (found, end) = withFile({ try $0.find(text, at: time) }) ?? nil
      {
        shared.remember(text, found, until: end)
        entry = found
      }
      switch entry {
      case .text(let translation)?: for tag in tags { known.texts[tag] = translation }
      case .same?: break
      case nil:
        missing.append((text, tags))
        continue
      }
      shared.countCached()
    }
    guard !missing.isEmpty else { return order.completion(known) }
    orders[order.id] = order
    let day = time / 86_400_000
    let deadline = now + configuration.timeout
    handle { [known, missing] in
      $0.take(
        order.id, missing, for: order.user, beside: known, until: deadline, at: now, day: day,
        into: &$1)
    }
    if !known.texts.isEmpty, orders[order.id] != nil { order.progress(known) }
  }

  private func handle(_ body: (inout TranslationDesk, inout [TranslationAction]) -> Void) {
    var actions: [TranslationAction] = []
    body(&desk, &actions)
    var failed: [TranslationJobID] = []
    for action in actions {
      if let id = perform(action) { failed.append(id) }
    }
    shared.setSlow(desk.isSlow)
    let desk = desk
    shared.update {
      $0.queued = desk.queuedCount
      $0.running = desk.runningCount
      $0.isUp = desk.isUp
    }
    for id in failed {
      handle {
        $0.end(id, .failed("the request cannot be made"), at: now, jitter: 0, into: &$1)
      }
    }
  }

  /// - Returns: A job that could not be started.
  private func perform(_ action: TranslationAction) -> TranslationJobID? {
    switch action {
    case .start(let id, let text, let deadline): return start(id, text, deadline)
    case .progress(let id, let result): orders[id]?.progress(result)
    case .finish(let id, let result): orders.removeValue(forKey: id)?.completion(result)
    case .keep(let text, let outcome):
      guard let entry = TranslatorState.Entry(outcome) else { break }
      let time = configuration.now()
      let end = time + configuration.lifetime * 1_000
      guard end > time else { break }
      shared.remember(text, entry, until: end)
      if configuration.cachesOnDisk {
        withFile { try $0.store(text, entry, until: end, at: time) }
      }
    case .count(let outcome):
      shared.count(outcome)
      if case .notAsked(.budget) = outcome { warnOfBudget() }
    case .report(let change): report(change)
    }
    return nil
  }

  private func start(
    _ id: TranslationJobID, _ text: TranslationText, _ deadline: Int64
  ) -> TranslationJobID? {
    let count = text.text.unicodeScalars.count
    shared.update { $0.characters += count }
    storeUsage()
    let request = configuration.engine.translation(
      of: text.text, into: text.code, at: configuration.service)
    let transfer = TranslatorTransfer(
      .job(id, text), request, timeout: .milliseconds(max(1, deadline - now)),
      userAgent: configuration.userAgent, startedAt: SystemClock.monotonicNanoseconds)
    guard let transfer, loop.add(transfer) else { return id }
    return nil
  }

  private func report(_ change: CircuitBreaker.Change) {
    switch change {
    case .opened(let wait):
      logger.warning(
        "the translation service does not answer",
        metadata: ["next_try_ms": "\(wait)", "reason": "\(lastFailure)"])
    case .reopened(let wait):
      logger.debug(
        "the translation service still does not answer", metadata: ["next_try_ms": "\(wait)"])
    case .closed: logger.notice("the translation service answers again")
    }
  }

  private func warnOfBudget() {
    guard warnedOfBudget != desk.usage.day else { return }
    warnedOfBudget = desk.usage.day
    logger.warning(
      "translation.characters_per_day is used up: no texts are translated until midnight UTC",
      metadata: ["characters": "\(desk.usage.used)"])
  }

  // MARK: Languages

  private func askForLanguages() {
    let request = configuration.engine.languages(at: configuration.service)
    let transfer = TranslatorTransfer(
      .languages, request, timeout: .milliseconds(configuration.timeout),
      userAgent: configuration.userAgent, startedAt: SystemClock.monotonicNanoseconds)
    guard let transfer, loop.add(transfer) else { return retryLanguages() }
    areLanguagesAsked = true
  }

  private func learnLanguages(from transfer: TranslatorTransfer, _ result: CURLcode) {
    areLanguagesAsked = false
    guard result == CURLE_OK, transfer.response.status == 200,
      let languages = configuration.engine.languages(
        in: transfer.response.body, source: configuration.service.source)
    else { return retryLanguages() }
    if languageFailures > 0 || shared.languages == nil {
      logger.info(
        "learned the languages of the translation service",
        metadata: ["languages": "\(languages.tags.count)"])
    }
    languageFailures = 0
    shared.languages = languages
    nextLanguages = now + Self.languagesInterval
  }

  private func retryLanguages() {
    languageFailures += 1
    if languageFailures == 1 {
      logger.notice("the languages of the translation service are unknown: trying again")
    }
    nextLanguages =
      now + Self.languagesBackoff.wait(after: languageFailures, random: .random(in: 0...UInt64.max))
  }

  // MARK: The file

  /// Writes the usage of the daily budget, if there is a budget.
  private func storeUsage() {
    guard configuration.charactersPerDay > 0, desk.usage != storedUsage else { return }
    storedUsage = desk.usage
    withFile { try $0.store(desk.usage) }
  }

  /// Runs an operation on the file, if there is one.
  @discardableResult
  private func withFile<Result>(_ body: (TranslationFile) throws -> Result) -> Result? {
    guard let file else { return nil }
    do {
      let result = try body(file)
      shared.update {
        $0.rows = file.rowCount
        $0.fileBytes = file.byteCount
      }
      return result
    } catch {
      if !hasWarnedOfFile {
        hasWarnedOfFile = true
        logger.warning(
          "the file of translations cannot be used at the moment", metadata: ["error": "\(error)"])
      }
      return nil
    }
  }
}

extension TranslatorConfiguration {
  /// The engine, with everything that its translations depend on besides text and target.
  fileprivate var cacheName: String { "\(engine.rawValue) \(service.source ?? "auto")" }
}
