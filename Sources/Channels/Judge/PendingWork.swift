import ParleyProtocol

/// The pending work of a channel, and the state by which commands are judged.
struct PendingWork: Sendable {
  var standing: Standing
  var sends: PendingSends
  var changes = PendingChanges()
  var operations = PendingOperations()
  var enrichments = PendingEnrichments()
  var ownChanges = PendingOwnChanges()
  var asked = AskedCalls()
  private var deliveries = PendingDeliveries()
  /// A call that waits for a message to be read.
  struct View: Sendable {
    let call: CallID
    let messageID: Int64
    let principal: Principal
    /// The requested languages of the message.
    var languages: [String] = []
  }

  private var views: [Int64: View] = [:]
  private var groupViews = PendingGroupViews()
  private var blockedMentions = PendingBlockedMentions()
  private var lastView: Int64 = 0

  init(_ standing: Standing, _ requests: RequestMemory) {
    self.standing = standing
    sends = PendingSends(requests: requests)
  }

  var isEmpty: Bool {
    sends.isEmpty && changes.isEmpty && operations.isEmpty && enrichments.isEmpty && views.isEmpty
      && groupViews.isEmpty && ownChanges.isEmpty && asked.isEmpty && blockedMentions.isEmpty
      && deliveries.isEmpty && !standing.deliveries.isStoring
  }

  // MARK: Commands

  /// Judges a command.
  mutating func perform(
    _ command: ChannelCommand, by principal: Principal, _ call: CallID, at now: Moment,
    into actions: inout JudgeActions
  ) {
    do throws(ServiceError) {
      if standing.isGroup { try requireAccess(to: command, principal) }
      switch command {
      case .view:
        try standing.rights.requireChannel()
        actions.answer(call, .success(.channel(standing.info)))
      case .send(let order):
        sends.send(
          order, by: principal, call, in: &standing, &enrichments, at: now, into: &actions)
      case .operation(let operation):
        try operate(operation, by: principal, call, at: now, into: &actions)
      case .updateMessage(let id, let changes):
        try change(id, .edit(changes), by: principal, call, at: now, into: &actions)
      case .deleteMessage(let id):
        try change(id, .deletion, by: principal, call, at: now, into: &actions)
      case .changeMetaArrays(let id, let arrays):
        try change(id, .metaArrays(arrays), by: principal, call, at: now, into: &actions)
      case .viewMessage(let id):
        try view(View(call: call, messageID: id, principal: principal), into: &actions)
      case .translateMessage(let id, let languages):
        let wanted = View(call: call, messageID: id, principal: principal, languages: languages)
        try view(wanted, into: &actions)
      case .group(let command):
        try perform(command, by: principal, call, at: now, into: &actions)
      }
    } catch {
      actions.answer(call, .failure(error))
    }
  }

  /// - Throws: What a group answers to strangers, and to commands for open channels.
  private func requireAccess(
    to command: ChannelCommand, _ principal: Principal
  ) throws(ServiceError) {
    try standing.rights.requireChannel()
    try standing.rights.requireVisibility(to: principal)
    try standing.rights.requireKind(of: command)
  }

  private mutating func perform(
    _ command: GroupCommand, by principal: Principal, _ call: CallID, at now: Moment,
    into actions: inout JudgeActions
  ) throws(ServiceError) {
    try standing.rights.requireChannel()
    try standing.rights.requireKind(of: .group(command))
    switch command {
    case .view(let memberLimit, let isNew):
      view(
        GroupRequest(
          call: call, principal: principal, memberLimit: memberLimit,
          outcome: isNew.map(GroupAnswer.Outcome.created) ?? .viewed), into: &actions)
    case .update(let fields):
      try operate(.update(fields), by: principal, call, at: now, into: &actions)
    case .change(let change):
      try operate(.changeMembers(change), by: principal, call, at: now, into: &actions)
    case .changeOwn(let change):
      try ownChanges.begin(
        change, by: principal, call, in: &standing, at: now, into: &actions)
    case .typing(let isTyping):
      try standing.setTyping(isTyping, by: principal, at: now, into: &actions)
      actions.answer(call, .success(.done))
    case .receipts:
      actions.answer(call, .success(.receipts(try standing.receipts(for: principal))))
    case .markDelivered(let id):
      try deliveries.begin(id, by: principal, call, in: &standing, at: now, into: &actions)
    case .delete: try operate(.delete, by: principal, call, at: now, into: &actions)
    }
  }

  /// Publishes what the members of a group learn of each other, stores what is kept in memory, and requests a
  /// wake-up for what is not due, and for waiting marks.
  mutating func publishNotices(at now: Moment, into actions: inout JudgeActions) {
    guard standing.hasNotices || ownChanges.due != nil, !standing.rights.isDeleted else { return }
    standing.publishTyping(at: now, into: &actions)
    standing.publishReads(at: now, into: &actions)
    standing.publishDeliveries(at: now, into: &actions)
    standing.storeDueDeliveries(at: now, into: &actions)
    let times = [
      standing.typing.due, standing.reads.due, standing.deliveries.due, ownChanges.due,
    ]
    guard let due = times.compactMap(\.self).min() else { return }
    // A request replaces the former one, which may be that of waiting sends.
    actions.append(.wake(at: min(due, sends.waiting.wakeTime ?? .max)))
  }

  /// Notifies the members whose own parts an event about a message has changed in a way that their clients
  /// cannot see from it.
  private mutating func notifyMembers(into actions: inout JudgeActions) {
    for userID in standing.rights.unhide(atMessage: standing.count.lastOrdinal) {
      notify(userID, of: .unhidden, into: &actions)
    }
    for userID in standing.rights.takeMiscountingIDs() {
      notify(userID, of: .recounted, into: &actions)
    }
    for mention in standing.takeMentions() {
      lastView += 1
      blockedMentions.begin(mention, lastView, in: standing, into: &actions)
    }
  }

  private mutating func notify(
    _ userID: String, of outcome: GroupAnswer.Outcome, into actions: inout JudgeActions
  ) {
    let principal = Principal.background(User(id: userID))
    view(
      GroupRequest(call: nil, principal: principal, memberLimit: 0, outcome: outcome),
      into: &actions)
  }

  private mutating func view(_ request: GroupRequest, into actions: inout JudgeActions) {
    lastView += 1
    groupViews.begin(request, lastView, in: standing, into: &actions)
  }

  /// Judges an old message.
  mutating func importMessage(
    _ message: MessageImport, _ call: CallID, at now: Moment, into actions: inout JudgeActions
  ) {
    sends.importMessage(message, call, in: &standing, at: now, into: &actions)
  }

  private mutating func operate(
    _ operation: ChannelOperation, by principal: Principal, _ call: CallID, at now: Moment,
    into actions: inout JudgeActions
  ) throws(ServiceError) {
    try requireRight(to: operation, principal, at: now)
    // A deletion is the last change of a channel.
    let place: FloodPlace? =
      if case .delete = operation {
        nil
      } else {
        try standing.takeChange(
          principal, bytes: operation.byteCount, at: now.monotonic, into: &actions)
      }
    let pending = PendingOperation(
      operation: operation, principal: principal, call: call, place: place)
    if let hook = operation.hook, standing.sources.hooks?.asks(hook, principal) == true,
      try asked.begin(pending, hook, in: &standing, at: now, into: &actions)
    {
      return
    }
    operations.add(pending, in: &standing, at: now, into: &actions)
    viewGroups(into: &actions)
  }

  /// Answers the calls that have changed a group with the group.
  mutating func viewGroups(into actions: inout JudgeActions) {
    for request in operations.takeGroupRequests() { view(request, into: &actions) }
  }

  private mutating func requireRight(
    to operation: ChannelOperation, _ principal: Principal, at now: Moment
  ) throws(ServiceError) {
    switch operation {
    case .update: try standing.rights.requireUpdating(principal)
    // Each change of members has its own rule, which depends on earlier changes.
    case .changeMembers(let change):
      guard case .join(let code) = change else { return }
      try standing.takeAccessCode(code, of: principal, at: now.monotonic)
    case .freeze, .addOperators, .removeOperators, .removeAllOperators, .restrict, .changeBan,
      .lift:
      try standing.rights.requireOperating(principal)
    case .delete, .deleteEmpty:
      try standing.rights.requireOperating(principal)
      try standing.rights.requireNoHold()
    }
  }

  private mutating func change(
    _ id: Int64, _ change: MessageChange, by principal: Principal, _ call: CallID,
    at now: Moment, into actions: inout JudgeActions
  ) throws(ServiceError) {
    var change = change
    if case .edit(var changes) = change, standing.isGroup {
      changes.mentionedUserIDs = changes.mentionedUserIDs.map(standing.rights.mentionable)
      change = .edit(changes)
    }
    let place = try requireChange(change, by: principal, at: now, into: &actions)
    let pending = PendingChange(
      change: change, right: standing.rights.changeRight(of: principal),
      authorID: principal.user?.id, session: principal.session, call: call, place: place,
      visibleFrom: try standing.rights.requireReading(principal))
    if case .edit(let edit) = change,
      standing.sources.hooks?.asks(.messageUpdate, principal) == true
    {
      lastView += 1
      return asked.begin(
        pending, edit, ofMessage: id, by: principal, lastView, in: standing, into: &actions)
    }
    changes.add(pending, ofMessage: id, in: standing, into: &actions)
  }

  /// Checks the caller of a change, before the message is known.
  ///
  /// Callers who may not write may still delete. Deletions count in no window, since moderators
  /// need many of them and each message can be deleted only once.
  private mutating func requireChange(
    _ change: MessageChange, by principal: Principal, at now: Moment,
    into actions: inout JudgeActions
  ) throws(ServiceError) -> FloodPlace? {
    switch change {
    case .enrichment:
      try standing.rights.requireKeptMessages()
      return nil
    case .deletion:
      try standing.rights.requireKeptMessages()
      try standing.rights.requireNoHold()
      return nil
    case .edit(let changes):
      try standing.rights.requireEditing(principal, at: now.unix)
      try standing.rights.requireNoHold()
      return try standing.takeChange(
        principal, bytes: changes.byteCount, at: now.monotonic, into: &actions)
    case .metaArrays(let change):
      switch change.right {
      case .change: try standing.rights.requireEditing(principal, at: now.unix)
      case .count: try standing.rights.requireCounting(principal, at: now.unix)
      }
      return try standing.takeChange(principal, at: now.monotonic, into: &actions)
    }
  }

  // MARK: Reading

  private mutating func view(
    _ view: View, into actions: inout JudgeActions
  ) throws(ServiceError) {
    try standing.rights.requireKeptMessages()
    _ = try standing.rights.requireReading(view.principal)
    lastView += 1
    views[lastView] = view
    actions.append(
      .read(.view(lastView), .message(view.messageID, channelID: standing.place.id)))
  }

  private mutating func answerView(
    _ number: Int64, _ result: LogResult, at now: Moment, into actions: inout JudgeActions
  ) {
    guard let view = views.removeValue(forKey: number) else { return }
    do throws(ServiceError) {
      // The caller may have left the group meanwhile.
      try standing.rights.requireVisibility(to: view.principal)
      let visibleFrom = try standing.rights.requireReading(view.principal)
      switch result {
      case .success(.read(.message(let found?))) where found.message.createdAt >= visibleFrom:
        guard view.languages.isEmpty else {
          return translate(found.message, for: view, at: now, into: &actions)
        }
        actions.answer(view.call, .success(.message(found.message)))
      case .success: throw .notFound(messageID: view.messageID)
      case .failure(let error): throw ServiceError(error)
      }
    } catch {
      actions.answer(view.call, .failure(error))
    }
  }

  // MARK: Enrichment

  mutating func progress(_ id: EnrichmentID, with part: Enrichment) {
    enrichments.progress(id, with: part)
  }

  /// Handles the end of an enrichment; `nil` if there is nothing to add.
  mutating func enrich(
    _ id: EnrichmentID, with enrichment: Enrichment?, at now: Moment,
    into actions: inout JudgeActions
  ) {
    switch enrichments.end(id, with: enrichment) {
    case .early:
      sends.additionArrived(id, in: &standing, &enrichments, at: now, into: &actions)
    case .late(let message): add(enrichment, to: message, at: now, into: &actions)
    case .demanded(let demand):
      var translations = MessageTranslations([:], failure: .failed)
      if case .translations(let found) = enrichment { translations = found }
      add(translations, for: demand, into: &actions)
    case nil: break
    }
  }

  /// Adds an enrichment to a published message.
  mutating func add(
    _ enrichment: Enrichment?, to message: Message, at now: Moment,
    into actions: inout JudgeActions
  ) {
    guard let enrichment, !standing.rights.isDeleted else {
      // The text beside a file has no preview.
      if message.file == nil { actions.count { $0.previewsNone += 1 } }
      return
    }
    if case .translations(let found) = enrichment, found.texts.isEmpty { return }
    guard standing.isEphemeral else {
      return add(
        LateAddition(messageID: message.id, text: message.text, enrichment: enrichment),
        into: &actions)
    }
    guard let changed = enrichment.applied(to: message) else { return }
    sends.didUpdate(changed, at: now)
    enrichments.replace(changed)
    actions.count { $0.countLate(enrichment) }
    standing.publish(
      .messageUpdated(EventMessage(changed)), seq: standing.count.next(), at: now.unix,
      into: &actions)
  }

  /// Adds a late addition to a message of a channel that keeps its messages.
  mutating func add(_ addition: LateAddition, into actions: inout JudgeActions) {
    let change = PendingChange(
      change: .enrichment(addition.enrichment, text: addition.text), right: .everyMessage,
      authorID: nil, session: nil, call: nil, place: nil)
    changes.add(change, ofMessage: addition.messageID, in: standing, into: &actions)
  }

  // MARK: Waiting

  /// Submits sends and marks that have waited long enough.
  mutating func releaseDue(at now: Moment, into actions: inout JudgeActions) {
    sends.releaseDue(in: &standing, &enrichments, at: now, into: &actions)
    ownChanges.releaseDue(in: &standing, at: now, into: &actions)
  }

  private mutating func releaseAll(at now: Moment, into actions: inout JudgeActions) {
    sends.releaseAll(in: &standing, &enrichments, at: now, into: &actions)
    ownChanges.releaseAll(in: &standing, at: now, into: &actions)
  }

  mutating func exited(_ session: SessionAddress) { sends.exited(session) }

  mutating func endWaiting(
    _ end: WaitingEnd, at now: Moment, into actions: inout JudgeActions
  ) {
    standing.storeDeliveries(at: now, into: &actions)
    switch end {
    case .drain: releaseAll(at: now, into: &actions)
    case .move:
      sends.giveUpWaiting(.moved, in: &standing, &enrichments, at: now, into: &actions)
      ownChanges.giveUpWaiting(.moved, into: &actions)
      asked.giveUp(.moved, in: &standing, into: &actions)
      for demand in enrichments.takeDemands() {
        standing.flood.giveBack(demand.place)
        actions.answer(demand.call, .failure(.moved))
      }
    }
  }

  // MARK: Answers of the log

  /// Handles the log's answer to an entry or a read.
  mutating func take(
    _ result: LogResult, for entry: EntryID, at now: Moment, into actions: inout JudgeActions
  ) {
    switch entry {
    case .send(let id):
      let published = sends.didLog(
        id, result, in: &standing, &enrichments, at: now, into: &actions)
      if standing.isGroup { notifyMembers(into: &actions) }
      seekPreview(of: published, by: published?.message.user?.id, &actions)
      if let published, !published.wishes.isEmpty {
        addRest(to: published, at: now, into: &actions)
      }
    case .repetition(let number):
      sends.didLookUp(
        number, result, in: &standing, &enrichments, at: now, into: &actions)
    case .change(let id):
      let author = changes.authorID(ofMessage: id)
      let published = changes.didLog(id, result, in: &standing, at: now, into: &actions)
      if standing.isGroup { notifyMembers(into: &actions) }
      seekPreview(of: published, by: author, &actions)
      translateAnew(published, by: author, at: now, into: &actions)
    case .operation:
      operations.didLog(result, in: &standing, at: now, into: &actions)
      standing.endTypingOfRestricted(at: now)
      viewGroups(into: &actions)
      if standing.rights.isDeleted { releaseAll(at: now, into: &actions) }
    case .view(let number):
      groupViews.didRead(number, result, in: &standing, at: now, into: &actions)
      for userID in blockedMentions.didRead(number, result, in: standing) {
        notify(userID, of: .recounted, into: &actions)
      }
      asked.didRead(number, result, in: &standing, at: now, into: &actions)
      answerView(number, result, at: now, into: &actions)
    case .groupView(let number):
      groupViews.didReadInPlace(number, result, in: &standing, at: now, into: &actions)
    case .own(let number):
      ownChanges.didLog(number, result, in: &standing, at: now, into: &actions)
    case .delivery(let id):
      deliveries.didRead(id, result, in: &standing, at: now, into: &actions)
    case .deliveries: standing.didStoreDeliveries(result, at: now)
    }
  }

  /// Adds what has arrived since a message was submitted, and waits for the rest.
  private mutating func addRest(
    to published: PublishedMessage, at now: Moment, into actions: inout JudgeActions
  ) {
    var wishes = published.wishes
    for enrichment in enrichments.takeArrived(&wishes) {
      add(enrichment, to: published.message, at: now, into: &actions)
    }
    enrichments.attach(wishes, to: published.message)
  }

  private mutating func seekPreview(
    of published: PublishedMessage?, by authorID: String?, _ actions: inout JudgeActions
  ) {
    guard let published else { return }
    enrichments.begin(published.preview, of: published.message, by: authorID, into: &actions)
  }
}
