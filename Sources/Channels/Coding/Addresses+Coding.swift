package import ParleyProtocol

extension ShardAddress: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(server)
    writer.write(shard)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(server: try reader.read(), shard: try reader.read())
  }
}

extension SessionAddress: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(server)
    writer.write(shard)
    writer.write(connection)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      server: try reader.read(), shard: try reader.read(), connection: try reader.read())
  }
}

extension ExchangeAddress: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(shard)
    writer.write(connection)
    writer.write(number)
    writer.write(trace)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      shard: try reader.read(), connection: try reader.read(), number: try reader.read(),
      trace: try reader.read())
  }
}

extension CallTrace: MessageCodable {
  package func encode(into writer: inout MessageWriter) { writer.write(text) }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    guard let trace = CallTrace(text: try reader.read()) else { throw .invalidValue }
    self = trace
  }
}

extension PollAddress: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(shard)
    writer.write(number)
    writer.write(part)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(shard: try reader.read(), number: try reader.read(), part: try reader.read())
  }
}

extension CallTicket: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(unit)
    writer.write(index)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      unit: try reader.readInteger(in: .positions),
      index: try reader.readInteger(in: .ticketIndexes))
  }
}

extension RPCIdentifier: MessageCodable {
  package func encode(into writer: inout MessageWriter) { writer.write(json) }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    let json = try reader.read(String.self)
    guard let document = try? JSONDocument(Array(json.utf8)),
      let identifier = RPCIdentifier(document.root), identifier.json.utf8.elementsEqual(json.utf8)
    else { throw .invalidValue }
    self = identifier
  }
}

extension ReplyAddress: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(session)
    writer.write(ticket)
    writer.write(id)
    writer.write(isPaid)
    writer.write(limit)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      session: try reader.read(), ticket: try reader.read(), id: try reader.read(),
      isPaid: try reader.read(), limit: try reader.read())
  }
}

extension CallAddress: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .session(let address):
      writer.write(case: 0)
      writer.write(address)
    case .exchange(let address):
      writer.write(case: 1)
      writer.write(address)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .session(try reader.read())
    case 1: self = .exchange(try reader.read())
    default: throw .unknownCase
    }
  }
}

extension SessionPrincipal: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(user)
    writer.write(session)
    writer.write(hookSession)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      user: try reader.read(), session: try reader.read(), hookSession: try reader.read())
  }
}

extension HookSession.Carrier: MessageCodable {}

extension HookSession: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(id)
    writer.write(address)
    writer.write(carrier)
  }

  package convenience init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(id: try reader.read(), address: try reader.read(), over: try reader.read())
  }
}

extension EnterRequest: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(principal)
    writer.write(recover)
    writer.write(address)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      principal: try reader.read(), recover: try reader.read(), address: try reader.read())
  }
}

extension StreamPosition: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(epoch)
    writer.write(seq)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(epoch: try reader.read(), seq: try reader.readInteger(in: .positions))
  }
}
