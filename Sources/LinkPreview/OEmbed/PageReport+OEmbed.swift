import ParleyProtocol

extension PageReport {
  /// The report with what a provider answered: it goes before what the page says in plain HTML,
  /// and behind what the page wrote for previews or as structured data.
  package func completed(with response: OEmbedResponse) -> PageReport {
    let members = PreviewMembers(
      title: better(tag?.title, response.title, "title"), address: address,
      description: better(tag?.description, response.description, "description"),
      image: better(tag?.image, response.image, "image"))
    var report = PageReport(members, embedURL: embedURL, characterSet: characterSet)
    // What kept the page from having a preview is more telling than that oEmbed had none either.
    if report.tag == nil { report.problem = problem ?? report.problem }
    return report
  }

  private func better<Value>(
    _ present: Value?, _ offered: Value?, _ member: String
  ) -> Sourced<Value>? {
    let origin = origins.first { $0.member == "og:\(member)" }
    let kept = present.map { Sourced($0, origin?.rank ?? .openGraph, origin?.source ?? "") }
    if let kept, kept.rank > .oEmbed { return kept }
    return offered.map { Sourced($0, .oEmbed, "oEmbed \(member)") } ?? kept
  }
}
