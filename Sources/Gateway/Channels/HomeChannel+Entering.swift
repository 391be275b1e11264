import Channels
import ParleyProtocol
import Reactor

extension HomeChannel {
  /// Judges whether a connection may enter; the stage lets it in.
  func enter(_ request: EnterRequest) {
    do throws(ServiceError) {
      guard !isDeleted else { throw .notFound(.channel, url) }
      guard !isRestricted(request.principal.user.id, by: bans) else { throw .banned(url) }
      stage.handle(.enter(request))
    } catch {
      stage.handle(.refuse(request, error))
    }
  }

  /// Takes a connection out.
  func leave(_ session: SessionAddress, userID: String) {
    lastUse = node.loop.now
    stage.handle(.leave(session, userID: userID))
  }
}
