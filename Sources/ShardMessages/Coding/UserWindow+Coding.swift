package import Channels
import ParleyProtocol

extension WindowQuestion: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(number)
    writer.write(userID)
    writer.write(seq)
    writer.write(server)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      number: try reader.read(), userID: try reader.read(),
      seq: try reader.readInteger(in: .positions), server: try reader.read())
  }
}

extension WindowAnswer: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(question)
    writer.write(window)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(try reader.read(), try reader.read())
  }
}

extension UserWindow: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(seq)
    if writer.version >= 3 { writer.write(since) }
    writer.write(shownTimes)
    writer.write(withheldIDs)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    let seq: Int64 = try reader.readInteger(in: .positions)
    // What the user was shown before, an older server does not say.
    self.init(
      seq: seq, since: reader.version >= 3 ? try reader.readInteger(in: .positions) : seq,
      shownTimes: try reader.read(), withheldIDs: try reader.read())
  }
}
