/// The connected members of a group, who are on servers that the home asks for them.
extension ChannelHome {
  /// Whether servers are being asked for connected members.
  package var isSearching: Bool { !searches.isEmpty }

  /// Whether the stage with this address waits for the end of the questions to its server.
  package func isKeepingNews(for address: StageAddress) -> Bool {
    searches.isKeepingNews(for: address)
  }

  /// Asks servers without a stage for connections of the members of a group that was loaded.
  ///
  /// - Parameters:
  ///   - pieces: The joined members, in pieces of bounded size.
  ///   - start: The group as it was loaded.
  package mutating func search(_ pieces: [[String]], on servers: [UInt16], from start: StageStart) {
    let subjects = pieces.map { MemberSearches.Subject(userIDs: $0, areSeated: true) }
    for server in servers where stages[server] == nil {
      searches.begin(subjects, on: server, from: start)
    }
  }

  /// Asks servers without a stage for connections of a user who joins by the next event.
  ///
  /// - Parameter start: The group before that event.
  package mutating func search(
    admitted userID: String, on servers: [UInt16], from start: StageStart
  ) {
    let subject = MemberSearches.Subject(userIDs: [userID], areSeated: false)
    for server in servers where stages[server] == nil {
      searches.begin([subject], on: server, from: start)
    }
  }

  /// Takes a server's answer to a question.
  package mutating func take(
    answer number: UInt64, isHere: Bool, from address: StageAddress
  ) {
    let attachment = isHere ? address.attachment : nil
    switch searches.take(number, attachment: attachment, from: address.server) {
    case .present(let attachment, let news):
      stages[address.server] = RemotePlace(
        attachment: attachment, news: news, unconfirmed: nil, knownUsers: nil)
    case .absent(let answers):
      // The server has no stage, and passes answers to the callers.
      if !answers.isEmpty {
        farewells.append((StageAddress(server: address.server, attachment: 0), answers))
      }
    case .unknown, nil: break
    }
  }

  /// Continues after messages to or from a server were lost.
  ///
  /// A stage there attaches again, unless it has received nothing so far: then it does not exist any more.
  package mutating func linkWasReset(with server: UInt16) {
    if let place = stages.removeValue(forKey: server), !place.answers.isEmpty {
      farewells.append((StageAddress(server: server, attachment: 0), place.answers))
    }
    searches.askAgain(server)
  }

  /// Returns the questions of the turn, which follow its packets.
  package mutating func takeQuestions() -> [(server: UInt16, question: MemberQuestion)] {
    searches.takeQuestions()
  }

  /// Adds a connection of a joined member to the stage of its server, which is asked whether the connection is
  /// open if it has no stage.
  ///
  /// - Parameter start: The group as it is now.
  package mutating func add(_ seat: Seat, from start: @autoclosure () -> StageStart) {
    let server = seat.session.server
    if stages[server] == nil {
      let subject = MemberSearches.Subject(userIDs: [seat.userID], areSeated: false)
      searches.begin([subject], on: server, from: start())
    }
    tell(.seat(seat), server: server)
  }

  /// Takes a part of an attached stage's users.
  ///
  /// - Parameter strangers: Those of the users who are not joined members.
  package mutating func arrive(
    _ piece: StagePiece, strangers: [String], at address: StageAddress
  ) {
    guard isAttached(address) else { return }
    if !strangers.isEmpty { tell(.strangers(strangers), server: address.server) }
    if piece.isLast {
      stages[address.server]?.unconfirmed = nil
    } else {
      tell(.next, server: address.server)
    }
  }

  /// Ends the stage of a server on which no member is connected.
  ///
  /// - Parameter admissions: The number of news that the stage has received that may have brought
  ///   connections. If more are under way, the stage stays.
  package mutating func vacate(_ address: StageAddress, admissions: Int) {
    guard isAttached(address), let place = stages[address.server],
      place.admissionCount == admissions
    else { return }
    farewells.append((address, place.news.filter(\.isAnswer) + [.dispersed]))
    stages[address.server] = nil
  }

  /// Ends all stages on other servers, because nothing happens in the group.
  package mutating func disperse() {
    for (server, place) in stages {
      let address = StageAddress(server: server, attachment: place.attachment)
      farewells.append((address, place.news + [.dispersed]))
    }
    stages = [:]
  }
}
