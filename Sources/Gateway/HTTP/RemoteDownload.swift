import HTTP
import Reactor
import Store
import Transport

/// Sends a file from another machine, as fast as the client reads.
///
/// One stretch is read at a time, when little of the last one is left to write. This uses little
/// memory, and a slow client holds no connection to the other machine. The answer begins when the
/// first stretch has arrived. The transport keeps the download, and the download its turn, until
/// the last byte is written. Confined to the shard of its connection.
final class RemoteDownload: HTTPBodySource {
  private unowned let shard: Shard
  private let exchange: Exchange.ID
  private let file: any RemoteFile
  private let content: RequestedContent
  /// The offset of the next stretch.
  private var offset: Int64
  /// The first stretch, until it is requested.
  private var first: [UInt8]?
  private var reading: FileReading?
  private let turn: DownloadTurn?

  init(
    _ file: any RemoteFile, _ content: RequestedContent, holding turn: DownloadTurn?,
    on shard: Shard, to exchange: Exchange.ID
  ) {
    self.file = file
    self.content = content
    self.turn = turn
    self.shard = shard
    self.exchange = exchange
    offset = content.range.lowerBound
  }

  /// Answers with the head and the bytes, or with the reason why there are none.
  func begin(_ head: HTTPResponse) {
    content.method == "HEAD" || content.range.isEmpty ? measure(head) : readFirst(head)
  }

  func nextPiece() {
    guard let piece = first else { return read() }
    first = nil
    shard.transport.continueBody(of: exchange, with: piece)
  }

  func bodyWasAbandoned() {
    reading?.cancel()
    reading = nil
  }

  /// Answers without bytes, but only for a file that exists.
  private func measure(_ head: HTTPResponse) {
    let (path, download) = (shard.returnPath, LoopBound(self))
    _ = file.measure { result in
      path.resume { _ in download.value.didMeasure(result, head) }
    }
  }

  private func didMeasure(_ result: Result<Int64, FileReadError>, _ head: HTTPResponse) {
    switch result {
    case .success(let size) where size == content.size: respond(head)
    case .success: shard.transport.respond(FileDownload.damaged, to: exchange)
    case .failure(let error):
      shard.transport.respond(FileDownload.response(to: error), to: exchange)
    }
  }

  private func readFirst(_ head: HTTPResponse) {
    let (path, download) = (shard.returnPath, LoopBound(self))
    _ = file.read(nextRange) { result in
      path.resume { _ in download.value.didReadFirst(result, head) }
    }
  }

  private func didReadFirst(_ result: Result<FileStretch, FileReadError>, _ head: HTTPResponse) {
    if case .success(let stretch) = result {
      first = stretch.bytes
      offset += Int64(stretch.bytes.count)
    }
    didMeasure(result.map(\.fileByteCount), head)
  }

  private func respond(_ head: HTTPResponse) {
    shard.transport.respond(head, with: self, count: Int64(content.range.count), to: exchange)
  }

  private func read() {
    let (path, download) = (shard.returnPath, LoopBound(self))
    reading = file.read(nextRange) { result in
      path.resume { _ in download.value.didRead(result) }
    }
  }

  private func didRead(_ result: Result<FileStretch, FileReadError>) {
    reading = nil
    // The head has promised more bytes than are available.
    guard case .success(let stretch) = result, stretch.fileByteCount == content.size else {
      return shard.transport.breakBody(of: exchange)
    }
    offset += Int64(stretch.bytes.count)
    shard.transport.continueBody(of: exchange, with: stretch.bytes)
  }

  private var nextRange: Range<Int64> {
    offset..<min(offset + Int64(file.maximumStretch), content.range.upperBound)
  }
}
