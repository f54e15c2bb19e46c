"""Words that may stand capitalised in a summary without being anyone's name: written once, in lower case.

They are what headings, roles, abbreviations and languages are called; for German, whose nouns all have a
capital, the nouns that summaries of work are made of and the endings that only nouns have.
"""

from __future__ import annotations

COMMON = frozenset("""
i i'm i'd i'll i've a an the this that these those there here it its he she they we you your my our
their his her and or but nor so yet for of in on at by to from with without as if then than when while
where who which what why how no not none yes all any each both few many more most some such only own
same other another also just still now later after before during since until between within across under
over about into onto per via is are was were be been being has have had do does did done can could may
might must shall should will would let's don't never always ok okay first second third last next
previous new old current final initial main key important open closed pending completed user users
assistant agent agents customer customers client clients model models system systems team teams
developer developers manager managers engineer engineers designer designers owner owners member members
speaker speakers participant participants group groups company project projects product products service
services application program programs tool tools library libraries framework platform database server
servers interface website page pages file files folder folders directory path paths code function
functions class classes method methods module modules script scripts command commands test tests testing
suite build builds branch commit commits merge request requests issue issues bug bugs fix fixes error
errors warning warnings failure failures exception exceptions log logs logging output input data
document documents documentation docs note notes list lists table tables report reports question
questions answer answers topic topics discussed discussion discussions decision decisions decided agreed
agreement action actions item items task tasks step steps plan plans planned goal goals requirement
requirements constraint constraints rule rules policy policies preference preferences pattern patterns
habit habits style convention conventions setting settings option options configuration setup
environment context background summary overview conversation conversations session sessions history
message messages exchange exchanges meeting meetings call calls email emails modified created changed
updated added removed deleted edited read written reviewed fixed resolved unresolved remaining
outstanding todo todos follow-up followup follow-ups status progress result results outcome outcomes
finding findings conclusion conclusions analysis approach solution solutions problem problems cause root
reason reasons detail details information info example examples reference references change changes
update updates improvement improvements feature features design architecture implementation refactoring
migration deployment release version versions security performance cost costs price prices budget time
date dates deadline deadlines day days week weeks month months year years today yesterday tomorrow
future past work working workflow process technical general specific user's assistant's customer's
behavior behaviour communication content format language name names number numbers id value values type
types state account order orders reservation booking flight flights payment refund cancellation
confirmation support passenger passengers baggage insurance certificate certificates card cards gift
credit economy business basic cabin upgrade total however additionally furthermore moreover therefore
finally overall instead meanwhile otherwise currently see use used using keep avoid prefer prefers
preferred wants wanted asked asks requested explained provided confirmed phd api apis ai llm llms ui ux
gui cli ide sdk url urls uri http https json jsonl xml yaml toml html css csv sql pdf md readme
changelog license ids uuid utf utf-8 ascii unicode ci cd pr prs mr tdd qa faq fixme tbd eta mvp kpi fyi
etc e.g i.e ip tcp udp dns ssh ssl tls vpn lan usb cpu gpu ram os vm db orm mvc rest crud jwt oauth sso
cors csrf xss regex stdin stdout stderr eof utc gmt am pm gb mb kb ms tv pc dvd lcd led rc ceo cto cfo
hr rd vs aka asap diy rsvp ps nb ii iii iv vi mrs dr prof sr jr st internet web wi-fi wifi online
offline e-mail ok-ed english german french spanish italian portuguese dutch russian chinese japanese
korean arabic hebrew turkish polish swedish danish norwegian finnish greek czech hungarian ukrainian
hindi latin markdown
""".split())  # fmt: skip

# What a file's ending, a command or a sign in the source implies.
IMPLIED = {
    ".py": "python",
    "pytest": "python",
    "pip ": "python pypi",
    ".js": "javascript",
    ".ts": "typescript",
    ".tsx": "typescript react",
    ".jsx": "javascript react",
    ".rs": "rust",
    ".go": "go golang",
    ".rb": "ruby",
    ".java": "java",
    ".kt": "kotlin",
    ".cpp": "c++",
    ".cs": "c#",
    ".php": "php",
    ".swift": "swift",
    ".md": "markdown",
    ".yml": "yaml",
    ".sh": "bash shell",
    ".tex": "latex",
    ".ipynb": "jupyter",
    "npm ": "node node.js",
    "package.json": "node node.js npm",
    "git ": "git",
    "cargo": "rust",
    "dockerfile": "docker",
    "psql": "postgresql postgres",
    "postgres": "postgresql postgres",
    "k8s": "kubernetes",
    "$": "usd dollar dollars",
    "€": "eur euro euros",
    "£": "gbp pound pounds",
    "js": "javascript",
}

KATAKANA = """
ユーザー ファイル フォルダ データ テスト エラー コード サーバー クライアント プロジェクト
システム アプリ アプリケーション サービス メッセージ セッション リクエスト レスポンス コマンド
ツール モデル メモ ノート リスト テーブル ページ リンク ログ バグ タスク スクリプト
プログラム ライブラリ モジュール クラス メソッド パス ディレクトリ バージョン リリース デプロイ
レビュー コメント ドキュメント フォーマット パラメータ パラメーター オプション デフォルト
インストール インターフェース ネットワーク セキュリティ パフォーマンス メール チーム ミーティング
スケジュール プラン ポイント トピック コンテキスト パターン スタイル ルール フィードバック
アシスタント キーワード アイデア アップデート カバレッジ バックアップ パスワード アカウント
キャンセル サポート フライト チケット
""".split()  # fmt: skip

# -- German -----------------------------------------------------------------------------------------

GERMAN_WORDS = frozenset("""
der die das und ist nicht mit für von wurde wurden eine einen einer einem dem den des auf im zu werden
soll sollen sich bei auch als noch nach über ein oder zum zur dass ohne aus wird sind sowie durch
""".split())  # fmt: skip
ENGLISH_WORDS = frozenset(
    """
the and is were to of for with that a it not by from be has will are this which
""".split()
)
DETERMINERS = frozenset("""
der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner dieser diese
dieses diesen diesem jede jeder jedes jeden jedem alle allen aller mein meine meinen meiner meinem sein
seine seinen seiner seinem ihr ihre ihren ihrer ihrem unser unsere unseren unserer zum zur im am beim
vom ins ans aufs welche welcher welches mehrere einige viele beide beiden manche solche
""".split())  # fmt: skip
PREPOSITIONS = frozenset("""
in mit von für auf bei nach zu aus an über unter vor zwischen ohne gegen durch um seit bis trotz wegen
laut per pro als wie und oder sowie
""".split())  # fmt: skip
GERMAN_ENDINGS = tuple("""
ung ungen heit heiten keit keiten schaft schaften tion tionen sion sionen itat itaten ismus ierer ment
mente menten enz enzen nis nisse nissen tum logie logien gramm gramme stellung fahigkeit losigkeit
igkeiten bereich
""".split())  # fmt: skip
GERMAN_NOUNS = frozenset("""
abend abfrage abgleich ablauf ablage abschluss abschnitt absicht absprache absturz adresse agent aktion
alltag alternative amt analyse anbieter anfang anfrage angabe angebot angst anhang anlass anleitung
annahme anruf ansatz anspruch anteil antrag antwort anwender anzahl anzeige app apparat arbeit archiv
argument art artikel assistent aspekt attribut aufbau aufgabe aufruf auftrag aufwand auge ausfall
ausgabe ausgang auskunft auslöser ausnahme ausschnitt aussage austausch auswahl autor bahn band basis
batch bau baum baustein beamte bedarf befehl beginn begriff beispiel beitrag beleg benutzer bereich
bericht bescheid beschluss besuch betrag betreff betreiber betrieb beweis bezug bibliothek bild
bildschirm block boden brauch brief browser bruch buch buchstabe bug bund büro budget cache chat chef
client cluster code commit computer container cursor dank datei daten datenbank datensatz datum dauer
debatte deckel design detail dialog diagramm dienst ding direktor diskurs dokument domain druck
durchlauf durchschnitt ebene effekt eigenschaft eimer eindruck einfluss eingabe eingang einheit einkauf
einsatz einstieg eintrag einwand element ende entscheid entwickler entwurf ereignis erfolg ergebnis
erlaubnis ersatz erzeuger export fach fahrer fahrt fakt fall familie farbe feature fehler feld fenster
ferien fest figur filter firma flug flughafen fluss fokus folge format formular foto frage frau freigabe
freund frist front funktion fuß garten gast gebiet gebühr gedanke gefahr gefühl gegenstand gehalt geld
gepäck gerät gesamt geschäft geschichte gesetz gespräch gesuch gewicht gewinn gewinner git glas grad
grafik grenze grund gruppe größe gutschein haken halt hand handbuch handel haupt haus heft heim heimat
herr hilfe hinweis historie hitze hotel idee import index inhalt instanz interesse internet irrtum jahr
job juli juni kabel kalender kamera kanal karte kasse kategorie kauf kennwort kenntnis kern kette key
kind klasse klausel knopf knoten kode kollege kommentar komma kommando komponente konfig konfiguration
konflikt konstante konto kontext kontrolle konzept kopf kopie korrektur kosten kraft kreis kritik kunde
kurs kürze lage land länge last lauf layout leben leer leistung leiter lesen licht liefer limit linie
link liste literatur lizenz lob log logik lohn lokal lösch lösung lücke mail makro manager mangel marke
markt maschine maß mauer maus meinung meister menge mensch menü merkmal meta methode minute misch
mitarbeiter mitglied mitte mittel modell modul modus moment monat montage motor mühe muster nachfrage
nachricht nacht nachteil nachweis name natur netz netzwerk neue neues neustart norm not note notiz
nummer nutzen nutzer oberfläche objekt option ordner ort ordnung paket papier parameter partner
passagier passwort patch pause person pfad pflicht phase plan plattform platz politik port position post
praxis preis presse prinzip priorität privat probe problem produkt profil programm projekt protokoll
prozent prozess prüfer punkt qualität quartal quell quelle quote rabatt rahmen rand rang rate raum
rechner rechnung recht rechte redakteur refactoring regel register reihe reise rest richtlinie risiko
rolle rücken rückfrage rückgabe ruf ruhe sache satz schale schaden schalter schema schicht schleife
schluss schlüssel schnitt schreib schritt schuld schule schutz schwelle seite sekunde senat serie server
sicht signal sinn sitz sitzung skript sommer sonne sorge spalte speicher sperre spiel sprache sprecher
sprint stand standard standort stapel start statistik status stelle steuer stichpunkt stichprobe
stichwort stil stimme stoff storno strategie straße strecke streit strom struktur stück stufe stunde
suche summe support symbol system tabelle tag takt tarif task taste team technik teil teilnehmer telefon
termin test text thema theorie tier titel tool ton treffen treiber trend tür typ überblick übersicht uhr
umbau umfang umfrage umgang umsatz umstieg umzug unterricht unterschied update urlaub ursache urteil
variable variante verbot verbrauch verein verfahren vergleich verhalten verkauf verkehr verlauf verlust
vermerk version versuch vertrag vertreter verweis verzeichnis vorbild vorfall vorgabe vorgang vorgehen
vorhaben vorlage vorlauf vorliebe vormittag vorrang vorschau vorschlag vorsicht vorteil vortrag wahl
wand ware wechsel weg weise weiter welt wert wesen wetter widerspruch wiederholung winter wissen woche
wort wunsch zahl zeichen zeile zeit ziel ziffer zimmer zufall zugang zugriff zukunft zusage zusatz
zuschuss zustand zweck zweig zwischenstand bedenken erinnerung lehrer schüler eltern kinder gesundheit
schwarz weiß rot grün blau gelb grau braun orange lila rosa hell dunkel gummi holz metall plastik
kunststoff stahl eisen leder pappe silber gold kupfer wasser luft feuer erde sand stein öl gas salz
zucker brot kaffee tee milch essen getränk obst gemüse kontrast helligkeit schärfe tiefe höhe breite
dicke stärke schwäche spannung energie wärme kälte geschwindigkeit tempo rhythmus klang geräusch lärm
musik lied roman gedicht absatz zitat überschrift untertitel fußnote kapitel vorwort nachwort glossar
inhaltsverzeichnis rechtschreibung grammatik übersetzung dolmetscher akzent dialekt wortlaut aufenthalt
abflug ankunft abfahrt bahnhof bus zug auto fahrrad schiff boot taxi verspätung entschädigung erstattung
ticket fahrkarte gate terminal sitzplatz gang koffer tasche rucksack pass visum ausweis führerschein
versicherung umbuchung geburtstag hochzeit feier party einladung geschenk kuchen torte rezept zutat
küche herd ofen kühlschrank geschirr löffel messer gabel teller tasse wohnung miete vermieter mieter
möbel tisch stuhl bett schrank sofa lampe dach keller treppe garage balkon pflanze blume wald wiese berg
see meer strand insel regen schnee wind sturm nebel gewitter temperatur arzt ärztin klinik krankenhaus
patient medikament tablette schmerz fieber husten erkältung krankheit therapie impfung allergie sport
fußball tennis training übung mannschaft spieler trainer sieg niederlage tor turnier wettkampf rekord
muskel baby mutter vater bruder schwester sohn tochter oma opa tante onkel freundin nachbar besucher
ehepaar hund katze vogel pferd fisch haustier kleid hose hemd schuh jacke mantel mütze brille ring
schmuck mode wolle seide baumwolle bank kredit zins aktie fonds anleihe dividende börse mahnung euro
cent dollar franken pfund währung haushalt einnahme bilanz kalkulation bestellung lieferung versand
kundin lieferant händler hersteller ladung laden supermarkt werbung plakat broschüre flyer logo gericht
anwalt anwältin richter klage strafe zeuge polizei feuerwehr paragraf vorschrift genehmigung behörde
gemeinde stadt dorf staat europa partei abgeordneter parlament ausschuss universität hochschule studium
student studentin professor professorin seminar vorlesung prüfung zeugnis diplom bachelor master
promotion doktorand forscher forschung experiment labor messung messwert hypothese formel gleichung
ableitung integral matrix vektor graph kante wurzel potenz winkel dreieck quadrat mikrofon lautsprecher
kopfhörer aufnahme transkript transkription sprecherin rauschen frequenz amplitude klassifikator neuron
trainingsdaten fehlerrate genauigkeit trefferquote korpus annotation hebel regler drehknopf joystick
display gehäuse prototyp form material ergonomie bedienung fernbedienung fernseher sender lautstärke
batterie akku solarzelle ladegerät stecker steckdose sensor chip platine schaltung leiterplatte
spritzguss produktion fertigung stückzahl zielgruppe token abhängigkeit rahmenwerk schnittstelle
endpunkt kopfzeile nutzlast cookie zeitstempel zeitzone kodierung zeichensatz zeilenumbruch leerzeichen
leerzeile einzug klammer anführungszeichen semikolon doppelpunkt docstring signatur rückgabewert
bedingung verzweigung rekursion warteschlange puffer zeiger speicherleck faden transaktion rollback
migration fremdschlüssel verbindung pool replikat sicherung wiederherstellung metrik alarm dashboard
warnung schwellwert latenz durchsatz engpass proxy lastverteiler zertifikat verschlüsselung hash
anmeldung abmeldung registrierung nutzername geheimnis umgebung umgebungsvariable konfigurationsdatei
platzhalter baustelle werkzeug werkzeugkasten helfer hilfsfunktion testfall testlauf testdaten prüfsumme
abdeckung mutation fixture attrappe regression refaktorierung aufräumen umbenennung verschiebung
löschung zusammenführung auslieferung veröffentlichung rückmeldung abnahme meilenstein schätzung verzug
maßnahme zuständigkeit verantwortung vertretung abwesenheit aufzählung gliederung schwerpunkt
kernaussage fazit schlussfolgerung empfehlung abwägung vorbehalt rückstand ausblick zwischenziel
hauptziel nebenwirkung randfall sonderfall ausnahmefall normalfall regelfall grundlage hintergrund
vordergrund deutsch englisch französisch spanisch italienisch russisch türkisch polnisch chinesisch
japanisch latein portugiesisch niederländisch montag dienstag mittwoch donnerstag freitag samstag
sonntag wochenende nachmittag mittag morgen mitternacht januar februar märz april mai august september
oktober november dezember halbjahr jahrzehnt jahrhundert norden süden osten westen rechts links oben
unten innen außen vorne hinten prozentpunkt drittel viertel hälfte doppelte erste zweite dritte letzte
nächste einzelne weitere verschiedene wichtige gute altes ganzes bestes folgendes besondere anderes
unbekannt interessierte beteiligte betroffene anwesende vorsitzende angestellte verwandte bekannte
jugendliche erwachsene lust spaß freude ärger wut trauer hoffnung vertrauen zweifel verdacht glück pech
mut geduld neugier gewohnheit geschmack geruch gefallen einverständnis zustimmung ablehnung widerstand
kompromiss vorzug abneigung respekt höflichkeit humor witz scherz ironie ernst bitte entschuldigung gruß
anrede du sie ansprechpartner absender empfänger betreffzeile regierung minister ministerin präsident
abgeordnete mitteilung
""".split())  # fmt: skip

# -- names -----------------------------------------------------------------------------------------

# Well-known names, which are names at the beginning of a sentence and in German too.
KNOWN_NAMES = frozenset("""
kubernetes docker terraform ansible jenkins grafana prometheus kafka rabbitmq redis mongodb postgres
postgresql mysql mariadb sqlite snowflake databricks bigquery redshift elasticsearch cassandra dynamodb
firebase supabase vercel netlify amazon heroku cloudflare aws azure gcp digitalocean github gitlab bitbucket
jira confluence slack discord zoom notion trello asana salesforce hubspot zendesk stripe paypal shopify
wordpress django flask fastapi laravel angular svelte nextjs webpack vite tensorflow pytorch numpy
pandas openai anthropic claude chatgpt gemini copilot mistral llama huggingface microsoft google
facebook netflix spotify twitter linkedin youtube instagram whatsapp telegram tesla nvidia ibm siemens
bosch sap bmw volkswagen mercedes lufthansa telekom vodafone contoso acme ubuntu debian fedora linux
macos android powerpoint photoshop figma berlin hamburg münchen munich köln frankfurt stuttgart
düsseldorf leipzig dresden bremen hannover nürnberg zürich zurich basel bern genf wien vienna salzburg
graz london paris madrid barcelona lissabon lisbon rome rom mailand milan turin neapel athens athen
amsterdam rotterdam brüssel brussels kopenhagen copenhagen oslo stockholm helsinki warschau warsaw prag
prague budapest bukarest moskau moscow kiew kyiv istanbul dubai cairo kairo lagos nairobi mumbai delhi
bangalore singapore singapur bangkok tokyo tokio osaka seoul beijing peking shanghai shenzhen sydney
melbourne toronto montreal vancouver boston chicago seattle denver austin dallas houston atlanta miami
philadelphia detroit manhattan brooklyn california texas florida germany deutschland france frankreich
italy italien spain spanien portugal austria österreich switzerland schweiz england scotland ireland
poland polen sweden schweden norway norwegen denmark dänemark finland finnland russia russland ukraine
greece griechenland india indien japan korea brazil brasilien mexico mexiko canada kanada australia
australien europe amerika america africa afrika angela anna andrea alexander andreas anders alice amanda
anthony antonio barbara benjamin bernd birgit brian carlos carla caroline catherine charles charlotte
christian christina christine christoph claudia daniel daniela david deborah dennis diana dieter dominik
dorothy edward elena elizabeth emily emma erik eva fabian felix florian francesca franz gabriele george
giovanni hannah hans heike heinz helena helmut henry ingrid isabel jakob james jane janet jason jennifer
jessica joachim johannes john johanna jonas jonathan jorge jörg josef joseph juan julia julian jürgen
karen karin karl katharina katrin kevin klaus kristina lars laura lena leon linda lisa louis luca lucas
lukas lucy luis manfred manuel marco marcus margaret maria marie mario markus martha martin martina
matthew matthias maximilian melanie michael michaela michelle mohammed monika nadine nancy natalie
natasha nicholas nicole niklas nina oliver olivia pablo patricia patrick paul paula pedro peter petra
philipp philip pierre priya rachel rainer ralf raj rebecca richard robert roberto rolf ronald ryan
sabine samantha samuel sandra sarah sebastian silvia simon sofia sophia sophie stefan stefanie stephanie
stephen steven susan susanne sven sylvia tanja teresa theresa thomas thorsten tobias ulrich ursula uwe
valentina vanessa veronica victoria vincent vladimir walter werner wilhelm william wolfgang yuki müller
schmidt schneider fischer meyer wagner becker schulz hoffmann schäfer schröder neumann zimmermann krüger
hofmann lehmann smith johnson williams jones davis garcia rodriguez martinez hernandez lopez gonzalez
""".split())  # fmt: skip
