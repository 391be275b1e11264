/// Top-level domains whose bare names are rarely sites: names with these endings are far more often
/// files or members of a program, or the top-level domain belongs to a brand that sells no names.
enum NameEndings {
  /// Returns whether a bare name with this ending, in lower case, needs `www.` or a path to be a link.
  static func isDoubtful(_ ending: Substring) -> Bool {
    files.contains(ending) || members.contains(ending) || brands.contains(ending)
  }

  private static func words(_ list: String) -> Set<Substring> { Set(list.split(separator: " ")) }

  /// Extensions of files: `README.md`, `deploy.sh`, `Main.java`.
  private static let files = words(
    """
    bz cab cc inc java map md mk ml mm mobi mov pid pl pm properties property ps pub py rs sh so \
    tf zip
    """)

  /// Names in programs: `event.target`, `os.name`, `requests.post`.
  private static let members = words(
    """
    bar call click data date docs download email fail fit foo host link name next now open phone \
    pin play post prod read run save search select stream style target
    """)

  /// Brands and closed registries; not those that sell names, such as `bot`.
  private static let brands = words(
    """
    aaa aarp abarth abb abbott abbvie abc able accenture aco ads aeg aetna afl aig airbus airtel \
    akdn alfaromeo alibaba alipay allfinanz allstate ally alstom amazon americanexpress \
    americanfamily amex amfam amica analytics android anz aol apple aquarelle aramco asda audi \
    audible auspost author avianca aws axa azure baidu banamex bananarepublic barclaycard barclays \
    barefoot bauhaus bbc bbt bbva bcg beats bentley bestbuy bharti bing blockbuster bloomberg bms \
    bmw bnpparibas boehringer bofa book booking bosch bostik bradesco bridgestone brother \
    calvinklein canon capitalone caravan cba cbn cbre cbs cfa chanel chase chintai chrome cipriani \
    circle cisco citadel citi citic comcast commbank comsec cookingchannel crown crs cuisinella \
    dabur datsun dclk deal dealer dell deloitte delta dhl discover dish dnp dot drive dtv dunlop \
    dupont dvag dvr edeka emerck epson ericsson erni etisalat eurovision extraspace fage fairwinds \
    fast fedex ferrari ferrero fiat fidelity fido fire firestone firmdale flickr flir fly \
    foodnetwork ford fox free fresenius frogans frontdoor frontier ftr fujitsu gallo gallup gap \
    gbiz gea genting george ggee gle globo gmail gmo gmx godaddy goldpoint goo goodyear goog \
    google got grainger grocery guardian gucci guge hangout hbo hdfc hdfcbank here hermes hgtv \
    hisamitsu hitachi hkt homedepot homegoods homesense honda hot hoteles hotels hotmail hsbc \
    hughes hyatt hyundai ibm icbc ice ieee ifm ikano imdb infiniti intuit ipiranga itau itv jaguar \
    jcb jeep jio jll jmp jnj jot joy jpmorgan jprs juniper kddi kerryhotels kerrylogistics \
    kerryproperties kfh kia kinder kindle komatsu kpmg kpn kuokgroup lacaixa lamborghini lamer \
    lancaster lancia landrover lanxess lasalle latrobe leclerc lefrak lego lexus lidl like lilly \
    lincoln linde lipsy living locus lpl lplfinancial lundbeck macys maif man mango marriott \
    marshalls maserati mattel mckinsey meet merckmsd microsoft mini mint mit mitsubishi mlb mma \
    mobile moi monash mormon moto msd mtn mtr nab natura nba nec netbank netflix neustar \
    nextdirect nexus nfl nhk nico nike nikon nissan nissay nokia northwesternmutual norton nowtv \
    ntt obi office olayan olayangroup oldnavy ollo omega oracle orange origins otsuka ott \
    panasonic passagens pay pccw pfizer philips pictet ping pioneer playstation pnc pohl politie \
    pramerica praxi prime progressive pru prudential pwc redstone redumbrella reliance \
    rexroth ricoh ril rogers room rwe safe safety sakura samsclub samsung sandvik sandvikcoromant \
    sanofi sap sas saxo sbi sca scb schaeffler schmidt schwarz seat secure seek sener seven sew \
    sfr shangrila sharp shaw shell shouji showtime silk sina sky skype sling smart smile sncf \
    softbank sohu song sony spot stada staples star statebank statefarm stc stcgroup suzuki swatch \
    tab talk taobao tatamotors tci tdk temasek teva thd tiaa tiffany tjmaxx tjx tkmaxx tmall toray \
    toshiba total toyota travelchannel travelers travelersinsurance trv tui tunes tushu tvs ubank \
    ubs unicom uol ups vanguard verisign vig viking virgin visa viva vivo volkswagen volvo vuelos \
    walmart walter wanggou weather weatherchannel weber weibo weir whoswho williamhill windows wme \
    wolterskluwer woodside wow xbox xerox xfinity xihuan yahoo yamaxun yandex yodobashi you \
    youtube yun zappos zara zero
    """)
}
