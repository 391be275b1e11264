import ParleyProtocol

extension UserMessage: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .expect(let session):
      writer.write(case: 0)
      writer.write(session)
    case .add(let session, let openedAt, let profile, let hearsGroups):
      writer.write(case: 1)
      writer.write(session)
      writer.write(openedAt)
      writer.write(profile)
      writer.write(hearsGroups)
    case .remove(let session, let lostSince):
      writer.write(case: 2)
      writer.write(session)
      writer.write(lostSince)
    case .enter(let request, let url):
      writer.write(case: 3)
      writer.write(request)
      writer.write(url)
    case .release(let session, let url):
      writer.write(case: 4)
      writer.write(session)
      writer.write(url)
    case .update(let user):
      writer.write(case: 5)
      writer.write(user)
    case .expel(let reason):
      writer.write(case: 6)
      writer.write(reason)
    case .revoke(let proof, let reason):
      writer.write(case: 7)
      writer.write(proof)
      writer.write(reason)
    case .mention(let userIDs, let event):
      writer.write(case: 8)
      writer.write(userIDs)
      writer.write(event)
    case .notify(let event):
      writer.write(case: 9)
      writer.write(event)
    case .announce(let session, let openedAt, let urls, let hearsGroups, let isInBackground):
      writer.write(case: 10)
      writer.write(session)
      writer.write(openedAt)
      writer.write(urls)
      writer.write(hearsGroups)
      writer.write(isInBackground)
    case .forget(let session):
      writer.write(case: 11)
      writer.write(session)
    case .listChannels(let address):
      writer.write(case: 12)
      writer.write(address)
    case .notifyOfGroup(let event):
      writer.write(case: 13)
      writer.write(event)
    case .background(let session, let isOn):
      writer.write(case: 14)
      writer.write(session)
      writer.write(isOn)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .expect(try reader.read())
    case 1:
      self = .add(
        try reader.read(), openedAt: try reader.read(), newProfile: try reader.read(),
        hearsGroups: try reader.read())
    case 2: self = .remove(try reader.read(), lostSince: try reader.read())
    case 3: self = .enter(try reader.read(), channelURL: try reader.read())
    case 4: self = .release(try reader.read(), channelURL: try reader.read())
    case 5: self = .update(try reader.read())
    case 6: self = .expel(reason: try reader.read())
    case 7: self = .revoke(try reader.read(), reason: try reader.read())
    case 8: self = .mention(try reader.read(), event: try reader.read())
    case 9: self = .notify(try reader.read())
    case 10:
      self = .announce(
        try reader.read(), openedAt: try reader.read(), channelURLs: try reader.read(),
        hearsGroups: try reader.read(), isInBackground: try reader.read())
    case 11: self = .forget(try reader.read())
    case 12: self = .listChannels(replyTo: try reader.read())
    case 13: self = .notifyOfGroup(try reader.read())
    case 14: self = .background(try reader.read(), try reader.read())
    default: throw .unknownCase
    }
  }
}

extension TokenProof: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .none: writer.write(case: 0)
    case .signed: writer.write(case: 1)
    case .accessToken: writer.write(case: 2)
    case .sessionToken: writer.write(case: 3)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .none
    case 1: self = .signed
    case 2: self = .accessToken
    case 3: self = .sessionToken
    default: throw .unknownCase
    }
  }
}
