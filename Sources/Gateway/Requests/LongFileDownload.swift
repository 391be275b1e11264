import Channels
import HTTP
import ParleyProtocol
import Store
import Transport

/// Serves the files of long requests to any client that has their addresses.
///
/// The secret alone authorizes a request, so it is never recorded here.
enum LongFileDownload {
  /// Handles `/exports/{secret}`.
  static func begin(_ call: ResourceCall) -> RequestOutcome {
    let services = call.shard.services
    let (exchange, head, path) = (call.exchange.id, call.head, call.shard.returnPath)
    let principal =
      call.exchange.connection.clientAddress.map(QueryPrincipal.init) ?? .server
    let lookup = LongRequestFileLookup(
      secretHash: LongFile.secretHash(ofText: call.arguments["secret"]), at: services.clock.now)
    let send: @Sendable (FileAnswer, DownloadTurn?) -> Void = { answer, turn in
      path.resume { answer.send(to: exchange, by: $0, holding: turn) }
    }
    services.store.perform(lookup, inTurnOf: principal) { result, _ in
      switch result.serviceResult {
      case .failure(let error): send(.response(HTTPResponse(refusing: error)), nil)
      case .success(nil): send(.response(FileDownload.notFound), nil)
      case .success(let file?):
        do throws(ServiceError) {
          try services.downloadTurns.begin(for: principal) { turn in
            services.vault.open(file) { result in
              switch result {
              case .success(let content): send(FileAnswer(to: head, file, content), turn)
              case .failure(let error):
                let response = (error as? FileReadError).map(FileDownload.response(to:))
                send(.response(response ?? FileDownload.damaged), turn)
              }
            }
          }
        } catch {
          send(.response(HTTPResponse(refusing: error)), nil)
        }
      }
    }
    return .respondLater(onAbandonment: nil)
  }
}
