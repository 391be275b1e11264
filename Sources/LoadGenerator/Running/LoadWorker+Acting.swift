internal import ClientSockets
internal import ClientTransport

/// The actions of a worker, scheduled or posted by the run.
extension LoadWorker {
  /// Opens the connections required before the load starts, in the plan's order.
  ///
  /// - Parameter isWanted: Selects the connections to open this time, by their indexes.
  func connect(_ isWanted: (Int) -> Bool) {
    let chosen = connections.indices.filter { index in
      let place = connections[index].place
      return plan.arrivalTime(of: place) == nil && isWanted(place)
    }
    waiting = chosen[...]
    connectNext()
  }

  func connectNext() {
    while attempts < Self.attemptLimit, let index = waiting.popFirst() {
      attempts += 1
      connections[index].connect(since: now, as: .connect)
    }
  }

  /// Handles a connection that became ready or failed.
  func attemptDidEnd() {
    guard case .connecting = stage else { return }
    attempts -= 1
    connectNext()
  }

  /// Starts to send, and schedules all later actions.
  func begin(_ times: LoadTimes) {
    stage = .loading(times)
    for (index, connection) in connections.enumerated() {
      if let arrival = plan.arrivalTime(of: connection.place) {
        schedule(.connect(index), at: times.measureFrom + arrival)
      } else if connection.isReady {
        beginSending(index, times)
      }
      scheduleCut(index, times)
    }
  }

  private func beginSending(_ index: Int, _ times: LoadTimes) {
    let connection = connections[index]
    let start = connection.member.role == .abuser ? times.disturbance ?? times.start : times.start
    switch connection.member.sending {
    case .never: break
    case .paced(let rate, let phase):
      let schedule = SendSchedule(start: start, perSecond: rate, phase: phase)
      connection.schedule = schedule
      self.schedule(.send(index), at: schedule.next)
    case .window(let count):
      for _ in 0..<count { schedule(.send(index), at: start) }
    }
  }

  private func scheduleCut(_ index: Int, _ times: LoadTimes) {
    let connection = connections[index]
    guard connection.member.role == .listener else { return }
    switch plan.disturbance {
    case .none, .flood: break
    case .storm: schedule(.cut(index), at: times.disturbance ?? times.start)
    case .churn(let interval):
      let turn = interval.multipliedReportingOverflow(by: Int64(connection.place + 1))
      if !turn.overflow { schedule(.cut(index), at: times.measureFrom + turn.partialValue) }
    }
  }

  func perform(_ due: Due, at time: Int64) {
    switch due {
    case .connect(let index): connections[index].connect(since: time, as: .connect)
    case .send(let index): send(index, at: time)
    case .slowRead(let index): readSlowly(index)
    case .cut(let index): cut(index, at: time)
    }
  }

  private func send(_ index: Int, at time: Int64) {
    guard case .loading(let times) = stage, time < times.end else { return }
    let connection = connections[index]
    guard var schedule = connection.schedule else {
      // Without a schedule, a message is due whenever there is room.
      connection.send(intended: now)
      return
    }
    connection.send(intended: time)
    schedule.advance()
    connection.schedule = schedule
    self.schedule(.send(index), at: schedule.next)
  }

  /// Handles the response to a send: an unpaced sender sends the next message.
  func didAnswer(_ connection: LoadConnection) {
    guard case .window = connection.member.sending, case .loading(let times) = stage else { return }
    let now = now
    if now < times.end { connection.send(intended: now) }
  }

  func didBecomeReady(_ connection: LoadConnection) {
    guard case .slowReader = connection.member.role,
      let index = connections.firstIndex(where: { $0 === connection })
    else { return }
    connection.connection?.pauseReading()
    schedule(.slowRead(index), at: now + Self.slowReadInterval)
  }

  private func readSlowly(_ index: Int) {
    guard case .slowReader(let rate) = connections[index].member.role, connections[index].isReady
    else { return }
    connections[index].connection?.read(atMost: max(1, rate / 10))
    schedule(.slowRead(index), at: now + Self.slowReadInterval)
  }

  private func cut(_ index: Int, at time: Int64) {
    guard case .loading = stage, connections[index].isReady else { return }
    counters.cutConnections += 1
    connections[index].cut()
    connections[index].connect(since: time, as: .recovery)
    if case .churn(let interval) = plan.disturbance {
      let turn = interval.multipliedReportingOverflow(by: Int64(plan.members.count))
      if !turn.overflow { schedule(.cut(index), at: time + turn.partialValue) }
    }
  }

  /// Stops sending, and lets slow readers catch up.
  func drain() {
    guard case .loading(let times) = stage else { return }
    stage = .draining(times)
    removeDues()
    for connection in connections where connection.member.isSlow {
      connection.connection?.resumeReading()
    }
  }
}
