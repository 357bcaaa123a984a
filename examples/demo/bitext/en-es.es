¿Eso es un sí o un no?
No tenía a nadie a quien recurrir.
Ahora me tengo que ir a trabajar.
Tom no es tan viejo como tú.
Lo hizo a su cuenta y riesgo.
Él es como un padre para mí.
El ató al perro a un árbol.
Le di algo de carne a mi perro.
Necesito a una mujer en mi vida.
Yo diría que sí si fuera tú.
La suma de 5 + 10 es fácil.
Este es un nuevo tipo de coche.
Tom es un hombre de pocas palabras.
¿Qué le hizo él a mi carne?
En un año pueden pasar muchas cosas.
Él tenía una sonrisa en su rostro.
Vivía en una ciudad cerca de aquí.
Él es un hombre en el que puedes confiar.
No lo puedo hacer con este calor.
Me clavé una espina en el dedo.
Conozco un hombre con el que trabajas.
Tengo que renovarme el carné de identidad.
En general me acuesto a las diez.
Voy a decirle como lo tiene que hacer.
Nunca se es demasiado viejo para aprender.
Ella puso la llave en su mochila.
Esta no es mi idea de diversión.
A Tom le pegó una pelota de golf.
Tom está en la cama con fiebre.
¿Por qué no te pones a dieta?
El haiku es un tipo de poema.
Hacé lo que Tom dijo que hagas.
Él elevó un volantín con su hijo.
Él es uno de mis viejos amigos.
Él se burló de mí en público.
Él se sentó a leer una historia.
No sabía que Tom tenía un gato.
No quiero que te vayas a tu casa.
Me afeité y me corté el pelo.
Se me ocurren una multitud de ideas.
Tengo que reservar una habitación de hotel.
No me encontré con nadie camino a casa.
Creo que Tom se va a morir.
Creo que Tom puede que sea un genio.
Le dije a Tom que no volviera.
Usualmente me voy a la cama a las nueve.
Estaba a punto de irme a casa.
Voy a ver si Tomás nos puede ayudar.
Voy a ir a despertar a Tom.
¿Esto está hecho de madera o de metal?
Es un riesgo que tenemos que tomar.
¡Oh no! ¡Mi casa está en llamas!
Ella le dio un montón de dinero.
Dile a ella que no me busque.
El hombre fue mordido por un perro.
Esta es por lejos la mejor manera.
Amar la vida es amar a Dios.
Tom y Mary se conocieron en un baile.
Tom no tenía idea de qué decir.
Tom es una estrella del rock and roll.
Tom es como un hermano para mí.
Tom es el hombre de mis sueños.
Puede que Tom no quiera hacer eso.
Tom era como un padre para mí.
Tenemos un montón de trabajo por hacer.
Lo que necesitamos ahora es un descanso.
¿Por qué no vas a la esquina a ver si está lloviendo?
Te ves tan pálido como un fantasma.
Por su fruto se conoce al árbol.
Quienquiera que diga eso es un mentiroso.
¿Has nadado alguna vez en un lago?
Él lleva una bolsa a la espalda.
No tenía ningún amigo que le ayudase.
Él es mejor que yo para las matemáticas.
Él no tiene edad suficiente para votar.
Él me hizo cantar en el escenario.
Él se pone un corbatín todos los días.
Estoy tomando un descanso en mi auto.
Apuesto a que ella es más joven que yo.
Lo hice en un par de días.
No quiero tener a Tom en mi casa.
Me sentí un poco mal por Tom.
Supongo que así es como yo lo haría.
Tengo un fuerte dolor en la espalda.
Tengo noticias de él una vez al mes.
Espero que Tom llegue aquí a tiempo.
Yo conozco al hombre con quien viniste.
De casualidad me encontré con él en Tokio.
Sólo he venido para decir que lo siento.
Le puse algo de leche a mi café.
Vi al hombre entrar en la habitación.
Pensaba que ella tenía 30 años como mucho.
Yo quería que ser igual que tú.
Yo desperté con un dolor de garganta.
Ahora ando un poco escaso de dinero.
Es una lástima que no puedas venir.
Mira a lo alto de ese árbol.
Mi padre es demasiado viejo para trabajar.
Mi hijo está en la secundaria ahora.
Deme una taza de leche, por favor.
Ella tiene una flor en su mano.
Ella ama a Tom más de lo que yo lo amo.
Ella se fue con él al zoológico.
El hielo está demasiado duro para quebrarlo.
Hay un chico cerca de la puerta.
Ese es el único libro que tengo.
Tom le preguntó a Mary si estaba bien.
Tom tiene una casa de campo junto al mar.
Tom contrató a Mary para que hiciera el trabajo.
Todo le va a salir bien a Tom.
Tom no es tan viejo como parece.
Tom le enseñó a Mary a hacerlo.
Tenemos un montón de cosas que hacer.
¿Qué te parece si vamos a esquiar?
Tú eres tan alto como mi hermana.
Todo lo que quiero hacer ahora es dormir.
Hasta donde yo sé, él es culpable.
¿Acaso Tom te dejó conducir su auto?
O tú tienes razón o la tiene él.
Él me trajo de vuelta en su coche.
Él hizo lo que había prometido hacer.
Él da un poco de carne al perro.
Él no tiene amigos con quienes jugar.
Al caer se hizo daño en la rodilla.
Él es mejor que ella en matemáticas.
Estaba tumbado boca arriba en la cama.
Empezó a irse pronto a la cama.
Cogió un taxi para ir a la estación.
Sus manos estaban frías como el hielo.
¿Cuánto le das de comer a tu perro?
Le pedí que estuviera aquí a las seis.
No le pedí a Tom que viniera aquí.
Yo no creo que él pueda ayudarte.
Como carne tres veces a la semana.
Yo estoy totalmente de acuerdo con todos ustedes.
He recibido una carta de mi amigo.
Me tuve que esconder de la policía.
Me doy una siesta casi todos los días.
No tengo ni idea cómo llegué aquí.
No tengo nada que ver con él.
Maté a la rata con una vara.
Me encontré con Tom de camino a la escuela.
La vi en la sala de reuniones.
Yo pienso que hace mucho frío como para nadar.
Te dije que no se lo dijeras a nadie.
Fui al parque a darme un paseo.
No estoy seguro de lo que debería hacer.
Estoy seguro de que podemos hacer funcionar esto.
Si alguien puede hacerlo, ese es Tom.
Casi es hora de irse a la cama.
"Madeira" es el nombre de un vino.
Mi papá me dijo a dónde ir.
De una vez para siempre se lo prohíbo
Ella se subió a un bus hacia Harajuku.
Ella es la única amiga que tengo.
Envió a su hijo a por un doctor.
Ella estaba apresurada por irse a casa.
Ese coche rojo golpeó a la furgoneta azul.
La niña es chica para su edad.
El barco está ahora en el puerto.
No había ni un árbol a la vista.
Este es un punto de vista válido.
Este es el lugar donde él trabajaba.
Tom y Mary están en el coche de Tom.
Tom me pidió que comprara una cuerda.
Tom hizo lo que yo le dije.
Tom no tenía ninguna razón para estar enfadado.
Tom odia que se le mojen los pies.
Tom es todo palabras y nada de acción.
Tom se mudará de vuelta con nosotros.
Tom es uno de mis mejores amigos.
Tom es el hombre más rico que conozco.
Tomás sabe lo que se tiene que hacer.
Tom puso algo de sal en sus huevos.
Tom todavía tiene que pagar la cuenta.
Tom quiere que me una a su equipo.
Tom era el alma de la fiesta.
Tenemos que estar en el trabajo a las nueve.
¿Qué es lo que me quieres preguntar?
¿Dónde está el final de esta fila?
¿Por qué llegaste a casa tan tarde?
¿Tom nos ayudaría si se lo pidiéramos?
Tú no tienes una pista, ¿oh si?
Un perro está durmiendo en la entrada.
¿Todos los libros están sobre la mesa?
Pídele que cuente por encima su plan.
¿Acaso Tom dejó a Mary conducir su auto?
¿Sabes por qué ella está tan enojada?
No me llames tan tarde de noche.
¿Has ido alguna vez a una ópera?
Él cortó la cuerda con sus dientes.
Él no tiene más opción que renunciar.
Él se golpeó la cabeza con una roca.
Él es justo el hombre para el trabajo.
Él es demasiado honesto para decir una mentira.
Él apoyó la cabeza en la almohada.
Él vio una mariposa sobre la pared.
Él nació el 28 de julio de 1888.
Él no era solo un padre para mí.
Él escribió un libro cuando estaba en China.
Tiene la edad suficiente como para conducir un auto.
Sus chistes no son para nada graciosos.
¡Qué placer estar de nuevo en Hawái!
En este asunto estoy de acuerdo contigo.
Le pregunté a Tom acerca de su nuevo libro.
Apuesto a que es bastante fácil de hacer.
Me pillé el dedo con la puerta.
No creo ni una sola palabra que digas.
No creo que Tom vaya a regresar.
No quiero ni prestar ni pedir prestado.
Le di mi asiento a la dama mayor.
Supongo que no tengo nada que perder.
Yo tenía un perro cuando era niño.
Tengo clase un día sí y otro no.
Sólo he ido una vez a Tokio.
No tengo nada que ver con eso.
Tengo que saber lo que está en riesgo.
Espero que mi sueño se haga realidad.
Aah, me he reído tanto que se me han saltado las lágrimas.
Vivo a diez millas de la ciudad.
Se me pasó el tren por un minuto.
Yo le debo mi éxito a su ayuda.
Vi a un hombre que iba vestido como un ninja.
Yo debería haber quedado fuera de eso.
Creo que Tom podría estar enojado conmigo.
Creo que nos podemos ayudar el uno al otro.
Yo pensaba que él era un doctor.
Quiero volar por encima de las nubes.
Ahora mismo iba a llamar a un taxi.
Me gustaría estar en París en este momento.
Me pregunto por qué el tren viene retrasado.
No estoy de ningún modo molesto contigo.
Voy a ir a visitar a Tom a la cárcel.
Yo estoy ahorrando para comprarme un nuevo carro.
Soy demasiado pobre para comprar un traje nuevo.
Si tú lo invitas, puede que venga.
Tiene cerca del tamaño de un huevo.
Fue el mejor día de mi vida.
No es tan simple como todo eso.
Déjame ver qué tienes en la mano.
¿Puedo devolver esto para que me lo reembolsen?
Mi padre ha comprado un coche nuevo.
Mi habitación es dos veces más grande que la de él.
Ahora hay que andarse con mucho ojo.
Sírvame una taza de café, por favor.
Echa algo más de leña al fuego.
Ella le aconsejó que no lo hiciera.
Ella se levantó para contestar al teléfono.
Ella dejó sus guantes en el auto.
Ella tiene aproximadamente la misma edad que yo.
Dígale a la muchacha que haga las camas.
El chico que me gusta no me quiere.
El perro está durmiendo en el auto.
El lago es profundo en este punto.
Los ratones se comieron algo del pan.
Las paredes de mi cuarto son verdes.
No hay necesidad de llamar un taxi.
Salieron de la ciudad hace una hora.
Esta es una lista de lo que necesitamos.
Este es el último trozo de torta.
Esto no es tan fácil como se ve.
Tom y Mary quedaron de acuerdo en un precio.
Tom vino a pedirnos que le ayudáramos.
Tom no salió bien en el examen.
Tom se cayó del tejado y falleció.
Tomás no tenía a quién más acudir.
Tom tiene un fuerte sentido del deber.
Tom tiene que tomar la prueba otra vez.
Tom está fuera en un viaje de negocios.
Tom es el capitán de nuestro equipo.
Tom no es tan joven como parece.
Tom vive a una manzana de nosotros.
Tom tiene dos casas y un bote.
Tom se dio cuenta de que era hora de irse.
Tom le tiró un huevo podrido a Mary.
Tom quería que Mary fuera su esposa.
Tom fue hallado muerto en su habitación.
Tom desearía tener un auto más grande.
Comimos un almuerzo simple en un café.
Tenemos que encontrar qué es lo que es.
Lo que haré será limpiar la pieza.
¿Cuál es el nombre de ese río?
¿A qué hora te tengo que despertar?
¿Por qué hay estrellas en el cielo?
Tú puedes conducir un auto, ¿o no?
No tenía otra posibilidad, sino sólo hacerlo.
No deberías llevar un abrigo de piel.
Un centavo ahorrado es un centavo ganado.
Hasta donde yo sé, él no vendrá.
¿Puedo quedarme con una de sus fotos?
¿Tú y Tom hablaron de un precio?
¿Te crees que quiero hacerle daño a Tom?
¡No dejes que ese perro se me acerque!
Pocos de mis amigos tienen dos automóviles.
La mitad de un pan es mejor que nada.
Él vino a pesar del mal clima.
Él no quiere ir a la escuela.
Él no tuvo dinero para comprar la finca.
Él tiene una inclinación natural por la música.
Él tenía un paquete debajo del brazo.
Le pegó a la pelota con su raqueta.
Le está yendo muy bien en el colegio.
Él es más alto que todos los otros chicos.
Él le dio una patada cuando estaba en el suelo.
Él perdió su vida en un accidente.
Él puso todo su dinero en la caja.
Él cogió el poco dinero que tenía.
Estuvo cerca de ser atropellado por un coche.
Él se refregó la nariz en su manga.
Su madre le hizo un vestido nuevo.
Espero volver a verte el año que viene.
¿Qué tan alta debiera ser la cerca de una casa?
¿Cuánto tiempo vas a quedarte en Tokio?
Estoy en contra de la guerra, por supuesto.
Puedo hacer o decir todo lo que yo quiera.
En un hotel no puedo sentirme como en casa.
No lo podría hacer nunca como lo hacés vos.
No hacía falta que lo hiciera, ¿verdad?
Ya no me siento más como un hombre.
No sé si puedo confiar en ti.
No sé hacia dónde se fue Tom.
No me gusta, en absoluto, el queso de cabra.
No creo que su historia sea cierta.
No quiero que mi madre se preocupe.
Ya no quiero ver más a Tom.
Tengo ganas de cantar en la lluvia.
Le di mis libros a esa gente.
Hice que mi hijo arreglara la puerta.
Me odio a mí mismo y quiero morirme.
Tengo un dolor agudo en mi pecho.
Ahora tengo un poco de tiempo libre.
Yo no se los he dado a Tom todavía.
Yo dejo mi martillo en la caja de herramientas.
Sé que lo tengo aquí por algún lado.
Me dejé los guantes en la biblioteca.
Me encontré con Tom en frente de la tienda.
Necesito una bolsa de papel para guardarlo.
Dije que hablaría con Tom sobre ello.
Vi a un chico cruzando la calle.
Parece que tengo que el número incorrecto.
Creo que he tomado uno de más.
Creo que podemos ganar el partido de hoy.
Traté de hacer que Tom ayudara a Mary.
Quiero hacer todo lo que Tom hizo.
Quiero asegurarme de que Tom esté a salvo.
Quiero que me hables acerca de Tom.
Estaba acostumbrado a comer como un cerdo.
Voy a ir a New York la semana que viene.
Me pregunto si alguien nos puede ayudar.
Me pregunto por qué no me llamó Tom.
Me gustaría que conocieras a mi marido.
Te veré a la hora de siempre.
Voy a llamar a Tom ahora mismo.
No estoy seguro de que pueda convencer a Tom.
Soy lo suficientemente mayor para ser su padre.
Me voy a tomar un par de días libres.
Estoy segurísimo de que tengo que hacer eso.
He venido aquí a trabajar con Tom.
Si alguien tiene la culpa, eres tú.
¿Es una buena idea comer menos carne?
¿Es por eso que me quieres matar?
Parece que él sabe acerca de eso.
Casi es hora de ir al colegio.
Hace demasiado calor y estoy muy cansado.
Sólo dile a Tom de lo que nos enteramos.
Te aconsejo que vayas a tu casa.
Mi padre conduce un coche muy viejo.
Mi mamá me dejó el pelo demasiado corto.
Mis padres me llaman todos los días.
Mi éxito se debió a tu ayuda.
Las naranjas son ricas en vitamina C.
Saludad a vuestro padre de mi parte.
Ella le dejó por un hombre más rico.
Le dio el perro a sus amigos.
Ella tenía una cesta llena de manzanas.
Ella está a dieta para perder peso.
Ella se casó con él a los 20 años.
Ella le vio conducir en su coche nuevo.
Ella esperó que él llegara a casa.
Ella pagará el máximo de cincuenta dólares.
Como estaba cansado me eché una siesta.
A veces le veo en el club.
No es exactamente lo que yo quería.
El niño tiene un reloj en su mano.
El coche que él conduce no es suyo.
El perro estaba durmiendo en la estera.
La mancha de tinta no se sale.
El hombre que veo yo es muy alto.
El hombre mayor se apoyó en su bastón.
El barco está navegando hacia el oeste.
La corbata no combina con mi traje.
Parece que no hay ninguna necesidad de ir.
Ellos vinieron de inmediato a nuestro rescate.
Este es el libro que quiero leer.
Este auto usado es tan bueno como uno nuevo.
Hoy es nuestro último día de clases.
Tom y Mary estaban en el jardín.
Tom le pidió un menú al mesero.
Tom taló un árbol en su patio.
Tom lo hizo sencillamente por el dinero.
Tom murió con un arma en la mano.
Tom no se quiere ir a dormir.
Tom sentía que le debía a María la verdad.
Tom le dio a Mary una taza de café.
Tom se ha comido casi toda su pizza.
Tom tiene que ir a la corte mañana.
Tom colgó un calendario en la pared.
Tom siempre está tratando de ser genial.
Tom está orgulloso de sus buenas notas.
Tom es el mejor en lo que hace.
Tom está demasiado cansado para hacer algo.
Tom sabía que Mary estaba mintiendo a John.
Tom puso una venda en el brazo de Mary.
Tom dijo que estaría liado el lunes.
Tom le disparó a Mary, pero falló.
Tom habla francés tan bien como yo.
Tom le dijo a María que él tenía un arma.
Tom suele ir a trabajar en coche.
A Tom le dispararon dos veces en el torso.
Tom no estará acá por unas semanas.
Podemos contar con la ayuda de ella.
Tenemos un gato. A todos nos gustan los gatos.
Nosotros pusimos las tiendas antes de que oscurezca.
Nos toparemos con ella en la fiesta.
Lo que él dijo es verdad en cierto sentido.
¿Cuándo comenzó el hombre a usar herramientas?
¿De todas formas, Tom quién piensa que es él?
¿Por qué no fuiste a la oficina?
¿Por qué está mi padre en la cocina?
Anda y dile, con lo que me interesa.
No hace falta que hables tan alto.
No vas a llegar al colegio a tiempo.
Un barco grande está anclado cerca de aquí.
Un borracho se cayó por las escaleras.
Todo lo que quiero ahora es dormir un poco.
¿Te vas a comer esas papas fritas?
¿Estás seguro de que quieres hacer esto?
Tráeme el libro, no se lo lleves a Tom.
El café estará listo en un minuto.
¿No te he enseñado mi nuevo Mustang?
¿Pensás que Tom me va a perdonar?
No escondas tu cabeza en la arena.
Incluso un niño puede hacer tal cosa.
La mitad de lo que dice Tom es mentira.
¿Alguna vez has sufrido un ataque cardíaco?
Él actúa como Pedro por su casa.
Me pidió que le pasara la sal.
Él tumbó un árbol en el jardín.
Él encontró la caja debajo de la mesa.
Echó un buen vistazo a los papeles.
Él se corta el pelo una vez al mes.
Él tiene la pieza grande para él solo.
A él le encanta este tipo de música.
Él no es más que un artista de segunda categoría.
Él lee un libro en su habitación.
Él está acostumbrado a hablar en público.
Él se inventó una historia acerca del perro.
Él tocaba el piano y ella cantaba.
Él se sentó y escuchó la radio.
Él me dijo que no condujera demasiado rápido.
Él comúnmente va al colegio en bus.
Él estaba completamente agotado cuando volvió a casa.
Él fue a París a estudiar francés.
Él vendrá a pie o en bicicleta.
Su idea es muy parecida a la mía.
La honestidad será retribuida a la larga.
La verdad es que intenté hacerlo una vez.
Estoy lleno y no puedo comer más.
Me topé con él en la estación.
Ya veo por qué no te gusta Tom.
No puedo darle la espalda a Tom así nada más.
El mes pasado no fui al colegio.
No permito que duerman durante la clase.
No conozco a ninguno de sus estudiantes.
No me gusta el sabor de la cebolla.
No quiero que Tom hable con María.
No quiero que me vean con él.
Encontré a su gato en una pieza vacía.
Me levanté a las 7 de la mañana.
No tenía dinero para comprar la entrada.
No tengo ni idea de dónde habrá ido él.
Tuve que cambiar de colectivo dos veces.
Hace tres días que no le veo.
Oí a la chica gritar por ayuda.
Espero que la economía se levante pronto.
Solo quiero tener un poco de diversión.
Te conozco mejor de lo que piensas.
Necesito un buen par de gafas de sol.
Necesito ir a algún sitio y pensar.
Voy seguido a pescar a ese río.
Me pinché el pulgar con una aguja.
Yo hablo francés todos los días en el trabajo.
Me doy una ducha casi todos los días.
Pensé que Tom había ido a Boston.
Pensé que dijiste que tenías un perro.
Yo normalmente me acuesto con las gallinas.
Quiero respirar un poco de aire fresco.
Quiero que seas mi amigo de nuevo.
Quiero que te quedes lejos de Tom.
Quería que Tom me llevara con él.
Estaba dándome un baño cuando él vino.
Me fui a dormir sobre las diez.
Me pregunto si Tom está todavía desorientado.
Me pregunté si su historia era cierta.
Si yo fuera tú no lo haría.
Me gustaría vivir cerca de tu casa.
Me voy a meter en problemas si hago eso.
Estoy a punto de decirte la solución.
Voy a ver una película de terror.
No le abriré la puerta a Tom.
Tengo edad suficiente para vivir por mi cuenta.
Estoy seguro de que tengo el número correcto.
Soy el más alto de la clase.
De ser tú, yo no lo haría.
¿Es más barato llamar después de las nueve?
Parece que ella está guardando un secreto.
Parece que vamos en el mismo bote.
Era la calma antes de la tormenta.
Es muy amable de su parte ayudarme.
Lida es una amiga íntima de María.
¿Me puedes prestar un minuto de tu tiempo?
Mamá me dijo que limpiara la habitación.
Mi padre me dio un montón de dinero.
Me duelen las articulaciones cuando hace frío.
Mis comentarios no iban dirigidos a ti.
Mi reloj se adelanta diez minutos al día.
Bueno gente, es hora de volver a casa.
Traedme un vaso de agua, por favor.
Por favor no lo ponga en la mesa.
Por favor espere frente al cuarto 213.
Ella hizo como si no supiera nada.
Le pidió que lo leyera por ella.
Ella lo abandonó por un hombre más joven.
Ella tiene que cuidar a su madre.
Ella es la que alimenta a nuestro perro.
Ella puede estar o no estar de acuerdo con nosotros.
Ella barre la habitación con una escoba.
Ella casi fue atropellada por un auto.
Ella estaba muy orgullosa de su padre.
Tiene aproximadamente la misma edad que yo.
Decile a ella que no se acerque al perro.
Ese hotel está muy cerca del lago.
Eso es una pérdida de tiempo y dinero.
La pelota rebotó bien alto en el aire.
La puerta de la oficina es amarilla.
La nueva película fue un gran éxito.
El paciente está ahora fuera de peligro.
Esa habitación es tan pequeña que no se puede jugar dentro.
El fregadero está lleno de loza sucia.
Toda la familia estaba enferma y en cama.
Sólo hay 24 horas en un día.
Después de la tempestad vino la calma.
Tienen que haber averiguado quién era yo.
Este escritorio es tan bueno como ese.
Este es el diario que ella escribía.
Este no es el último tren, ¿verdad?
Esta corbata no combina con mi traje.
Tom le aconsejó a Mary que compre ese carro.
Tom y Mary son mayores que John.
Tanto Tom como Mary necesitan zapatos nuevos.
Tanto Tom como Mary lo han hecho.
Tom le preguntó a Mary dónde estaba el perro.
Tom volvió a casa borracho de una fiesta.
Tom no puede pensar en un plan mejor.
Tom no tenía que venir tan pronto.
Tom no quiere ver a María ahora.
Hoy Tom ha recibido una carta de Mary.
Tom tiene un primo que es doctor.
Tom ha estado en películas y en la televisión.
Tom nunca tuvo un ataque al corazón.
Tom odia trabajar tarde en un viernes.
Tom es uno de mis amigos íntimos.
Tom es el único que alimenta al perro.
Tomás no es mucho más mayor que nosotros.
Tom sabe como hacer feliz a Mary.
Tom nunca me dijo que era casado.
Tom le puso a su perro un collar para las pulgas.
Tom dijo que ya había tenido suficiente.
Tom ve esto de una manera diferente.
Tom cree que él puede salvar el mundo.
Tom le dijo a Mary que sea más cuidadosa.
Tom se quitó los zapatos y los calcetines.
Tom quiere que yo planee la boda.
A Tom lo mató un conductor borracho.
Tom fue a estudiar a la biblioteca.
Tomás casi no dijo una palabra durante todo el día.
Todos nosotros dimos un suspiro de alivio.
No tenemos nada en absoluto en común.
No debemos permitir que esta noticia se divulgue.
¿Estuvo usted allí para ver el final?
¿Qué le dijo Tom a Mary que no hiciera?
¿Cuándo fue la última vez que lloraste?
¿A quién se lo ibas a vender?
¿Por qué invitaste a Tom a cenar?
¿Por qué no vas a echar un vistazo?
¿Por qué no querés usar una corbata?
¿Por qué debería preocuparme de adónde va Tom?
Hoy en día, las mujeres beben tanto como los hombres.
Será mejor que no vayas después del anochecer.
Tienes que hacer siempre la cosa correcta.
Una pelota entró volando por la ventana.
Me habló un extraño en el autobús.
Tras la tormenta, el mar estaba en calma.
¿Vienes a las seis o a las siete?
¿Estás seguro de que quieres estar solo?
Por lo que sé, él es un buen tipo.
Ten cuidado de no derramar tu cerveza.
¿Me puede traer la cuenta, por favor?
Ven a tomarte un vaso de vino conmigo.
¿Acaso sabes lo peligroso que es eso?
Hacer eso es probable que sea cansado.
A pesar de su opulencia, es infeliz.
Dios creó el mundo en seis días.
¿Alguna vez has dormido en la calle?
Él me preguntó cómo llegar al museo.
Él nos aburrió con su larga historia.
Él cortó la carne y la pesó.
Ha perdido el tren de las ocho y media.
Él tiene mucho dinero en el banco.
Él está entre los mejores cantantes de jazz.
Él es conocido en el país entero.
Él aún es demasiado joven para este trabajo.
Él sabe cómo hablarles a los niños.
Puede que él esté haciendo footing por el parque.
Puso los esquís sobre el techo del coche.
Él le dijo buenas noches a sus padres.
Él puso una trampa para atrapar al animal.
Él piensa que es un gran poeta.
Él estuvo trabajando hasta tarde por la noche.
Estaba tan enfadado que no podía hablar.
Él solía nadar en este río a menudo.
Él no está seguro de querer hacerlo.
Su hija volvió corriendo a su habitación.
¿Cómo sé si una chica gusta de mí?
¿Cuánto es la multa por exceso de velocidad?
Me alegro de que me hayas ayudado.
Estoy seguro de que tenemos mucho en común.
Cuando desperté encontré un pájaro en mi cuarto.
Puedo aprobar el test. Sé que puedo.
No puedo creer que me hiciera esto.
No sé tocar muy bien la guitarra.
No veo con quién está conversando Tom.
No noté lo contenta que estaba ella.
No sabía que era un gran secreto.
Después de eso no volví a verlo.
Yo no me ejercito mucho estos días.
No sé lo que Tom está tramando.
No me gusta ninguno de estos discos.
No creo que debas llamar a Tom.
Conduje hasta la ciudad y fui de compras.
Me emborracho al menos una vez al mes.
Me tomé una taza de café en la cafetería.
Me cortaron el pelo en la barbería.
Tengo muchos problemas que tengo que resolver.
No vi a nadie aparte de ti.
No te he visto en tres años.
Le ayudé a mi madre en la cocina.
Espero que algún día pronto nos volvamos a ver.
Sólo tengo otra cosa más que hacer.
Dejé mi libreta de direcciones en mi pieza.
La encuentro en la escuela de vez en cuando.
Casi se me olvidó dárselo a Tom.
Me opongo a que ella vaya sola.
Me acuerdo de haber cerrado la puerta.
Vi a un gato corriendo tras el perro.
Los vi por allá hace un rato.
Gasto el dinero tan pronto lo obtengo.
Yo hablé con él acerca del asunto.
Creo que Tom va a ser despedido.
Yo creo que Tom no consume drogas.
Si nos apuramos, creo que la hacemos.
Pensé que jamás te volvería a ver.
Pensé que Tom me iba a golpear.
Pensaba que la obra había salido muy bien.
Le dije a Tom que era su única opción.
Solía alimentar a mi perro dos veces al día.
Quiero que el trabajo esté terminado para las cinco.
Fui capaz de responder a la pregunta.
Fui el primero en empezar a hablar.
No te voy a aburrir con los detalles.
En tu lugar yo no iría allí.
Me gustaría navegar por todo el mundo.
Preferiría vivir en una casa de madera.
Te voy a presentar a una buena chica.
Me alegro de que me pidieras que te acompañara.
Voy a tomar el tren de las diez treinta.
No te voy a decir mi nombre.
No estoy acostumbrada a este tipo de comida.
Tengo tanta hambre que me podría comer un caballo.
Estoy seguro de que estás haciendo todo lo que puedes.
Yo ya te dije lo que sé al respecto.
Acabo de estar en la oficina de correos.
Solo me he tomado dos o tres tragos.
Si yo fuera rica, iría al extranjero.
Me encontré con un lobo en un sueño.
¿Está bien el camino para ir en auto?
¿Es esta su primera visita a Japón?
Es muy amable de tu parte que me ayudes.
Estaba bastante oscuro cuando llegué a casa.
Es un poco demasiado complicado para mí.
Japón sabía que estaba ganando la guerra.
El lenguaje puede ser usado de muchas formas.
Deja que te presente a mi familia.
Vamos a tomar unos vasos de cerveza.
Mary se marchó ya a su viaje.
Los hombres son mejores en esto que las mujeres.
Mi casa está a solo una milla de aquí.
Mi madre se lleva bien con mi tía.
Mi mamá me dijo que no fuera ruidosa.
No hay mujer que sea tan arrogante como ella.
Las cebollas se pueden comer crudas o cocidas.
Dame un poco más de tiempo, por favor.
Ella me pidió que le pasara la sal.
Ella no pudo mirarlo a él a la cara.
Ella huyó por miedo a que la cogieran.
Ella se subió a su bicicleta y se marchó.
Ella colgó el calendario en el muro.
Ella está relacionada con él mediante matrimonio.
Ella le preparó una tarta para su fiesta.
Ella revolvió la sopa con una cuchara.
Ella quería que él le cantara una canción.
El otro día ella fue al cine.
Ella tiene tres años más que yo.
A veces un cigarro es tan solo un cigarro.
Decile a Tom que queremos hablar con él.
Ésa es la oficina en la que trabaja.
Ese es el modo en que Tom siempre lo hace.
La flecha indica el camino a seguir.
El chico se crió para ser un científico.
El niño me dijo por qué lloraba.
Los días son más largos en verano.
La comida en este campamento es terrible.
La reunión se lleva a cabo dos veces al mes.
Me lo encontré hace poco en Kioto.
Aquel día, el príncipe se convirtió en rey.
El profesor nos contó una divertida historia.
Hay un gran agujero en la pared.
No hay nada que pueda hacer al respecto.
Ellos colocaron la alfombra en el suelo.
Este libro es mío. ¿Dónde está el tuyo?
¡Esta casa y esta tierra son mías!
Esto es casi tan bueno como pescar.
Ésta es la ciudad en la que nací.
Para hacer dinero, uno debe primero desear el dinero.
Tom y Mary son muy viejos amigos.
Tom y Mary no parecen demasiado felices.
Tom le hizo muchas preguntas a Mary.
Tom le preguntó a María por qué estaba tan enojada.
Tom me preguntó cuál era el problema.
Tom volvió a Boston el año pasado.
Tom le cambió las sábanas a la cama.
Tom aplastó la caja con su pie.
Tom no sabía que Mary fuera tan entretenida.
Tom no quería salir de la cama.
Tom no sabe qué tan alta es María.
Tom come arroz al menos una vez al día.
A Tom se le olvidó ajustar su reloj despertador.
Tom se divirtió mucho en la fiesta.
Tom tuvo que ir con Mary a Boston.
Tom tiene mucho en común con Mary.
Tom no tiene más remedio que confiar en nosotros.
Tom le oculta sus preocupaciones a su esposa.
Tom viene de Boston, igual que María.
Tom está al teléfono ahora en su oficina.
Tom está ahora al teléfono con María.
Tom le mintió a Mary y ella lo sabe.
Tom amaba a María y María lo amaba a él.
Tom no quiere volver a ver María nunca más.
Tom dijo que necesitaba algo más de tiempo.
Tom se sentó mirando a través de la ventana.
Tom parece estar ocupado todo el tiempo.
Tom le pegó a la muralla con el puño.
Tom le contó a Mary cómo él y John se conocieron.
Tom llevó a los niños al parque.
Tom quería que pensaras que él había muerto.
Tom quedó sobrecogido por lo que Mary hizo.
Tom estaba enfermo, así que no pudo venir.
Tom fue a París para estudiar francés.
Es una lástima que tengas que marcharte ya.
Al fin nos deshicimos de nuestro auto viejo.
Nos fuimos de casa temprano por la mañana.
Fuimos al lago a remar en bote.
¿Qué color crees que le guste a ella?
¿Cuál es la superficie de tu rancho?
Lo que hiciste va contra las reglas.
¿Cuándo fue la última vez que cocinaste?
¿Cuándo fue la última vez que rezaste?
¿Quién piensas tú que rompió la ventana?
¿Por qué eres tan amargo con ella?
¿Por qué siempre me pasa esto a mí?
¿Por qué no escuchas a la razón?
¿Me vas a ayudar con mi tarea?
Ya no puedes ayudar más. Es demasiado tarde.
No tienes que quedarte hasta el final.
Puede que no seas tan afortunado la próxima vez.
Te mejorarás en más o menos una semana.
Vos sos el único que puede hacerlo.
Un niño conducía un rebaño de ovejas.
Se dice que un espejismo es una ilusión.
Un chico alto está parado en la puerta.
Todos mis amigos y mis familiares han muerto.
Un accidente puede ocurrir sin previo aviso.
¿Eres tú quien dejó pasar al perro?
A tu edad yo también pensaría así.
El precio del pan subió en 10 yenes.
¿Me podría servir una copa de vino blanco?
¿Podrías decirme lo que hay que poner aquí?
¿Alguna vez hablaste con Tom al respecto?
¿Sabes tú algo que yo no sepa?
No muerdas la mano que te alimenta.
¿No tienes un teléfono en tu automóvil?
El número 4 trae mala suerte en Japón.
¿Alguna vez has estado en ese pueblo?
¿Alguna vez le has dicho palabrotas a un policía?
Él me pidió que le tirara la pelota de vuelta.
Él se jactó de haber ganado el premio.
Él sólo sabe hablar un poco de inglés.
Él murió el día en que llegó su hijo.
Él sintió algo subir arrastrándose por su pierna.
Él ha estado dos años en Japón.
Tiene el doble de libros que yo.
Él es médico y también escritor de novelas.
Él no es lo suficiente mayor para vivir solo.
Él es el hombre que hizo este dibujo.
Él cometió un error y bebió veneno.
Se dijo a sí mismo, "lo haré".
Él me enseñó a pronunciar la palabra.
Él me trata como si fuera un extraño.
En ese momento él estaba leyendo un libro.
Él tiene más o menos tu misma edad.
Su padre murió cuando tenía tres años.
Su hermana no puede hablar hoy contigo.
¿Qué tal si esta noche cenamos fuera?
¿Cuánto tiempo ha estado trabajando aquí Tom?
Tengo miedo de que cometa un error.
Estoy seguro de que es un hombre honesto.
Compré el coche con una rebaja del 10%.
Puedo ver a Tom, pero él no me puede ver.
No puedo ir a la Policía con esto.
No puedo recordar su nombre ahora mismo.
No se me pudo ocurrir cómo hacerlo.
No creo que ella esté en casa.
No quiero ver a Tom nunca más.
No sé cuándo se conocieron Tom y María.
No me gusta vivir en el campo.
No me importa dormir en el suelo.
No veo qué está mal con eso.
No quiero que me digan lo que tengo que hacer.
Se me olvidó ponerle el rollo a la cámara.
Yo recibí una llamada de ella esta mañana.
Tengo fiebre y me duele todo el cuerpo.
No tengo ni idea de lo que estoy haciendo aquí.
No he sabido nada de ella últimamente.
Tengo que bajar en la próxima parada.
Oigo de él de vez en cuando.
Espero que no estés cometiendo un error.
Conozco la casa en la que él nació.
Me gusta tener muchas cosas que hacer.
Te amo y quiero casarme con vos.
Necesito un martillo para clavar las tablas.
Yo alcé mi mano para hacer una pregunta.
Duermo seis horas por día en promedio.
Pienso que seré capaz de soportar eso.
Creo que es hora de que me jubile.
Yo pienso que mejor hubieras tomado un descanso.
Tomé un taxi para llegar allá a tiempo.
Quiero terminar este trabajo a las cinco.
Quiero que vengas con nosotros esta noche.
Estaba tan nerviosa que por poco vomité.
Anoche me fui a la cama a las doce.
Ojalá supiera cantar tan bien como tú.
No tendré a Tom haciendo tus tareas.
Me gustaría vivir en Boston algún día.
Le haré una buena limpieza a la habitación.
Me voy a casar con ella en junio.
Solo estoy diciendo que no puedes culparme.
No estoy diciendo que soy mejor que Tom.
Tengo miedo de que Tom vaya a matarme.
Yo soy tres años más joven que él.
Te advierto que no lo hagas otra vez.
He vivido en China durante seis meses.
Si yo fuera rico, te daría dinero.
En verano, los huevos se ponen malos enseguida.
¿Es verdad que te trasladas a Boston?
Llevar un diario de vida es un buen hábito.
Eso no ha ocurrido por mi culpa.
Qué pena que no hayas podido venir.
Es posible que Tom te haya mentido.
John se juntó con Mary de camino a la escuela.
Deja que Tom decida que tienes que hacer.
La vida es dura sin tarjeta de crédito.
Mary cree en el poder del amor.
Mamá dice que debería salir de la cama.
Mi papá me arrancó el juguete de las manos.
Mi familia va a Italia todos los años.
Mi papá se jubiló a la edad de 65 años.
Mi madre me regaló una máquina de coser.
Mi hermana es una niña muy bella.
El coche de mi tío es más rápido que el mío.
Ninguno de sus consejos fue muy útil.
Por favor, tráiganos dos tazas de café.
Por favor, muévanse para la parte de atrás del bus.
Ella me preguntó si conocía su dirección.
Ella no podía quitarle los ojos de encima.
Ella dio media vuelta cuando vio la serpiente.
Ella va al cine una vez a la semana.
Ella tiene sus defectos, pero me gusta.
Ella está comprando una torta en la panadería.
A ella le encanta el color de su polera.
Ella le recordó que fuera al banco.
Ella se gasta mucho dinero en libros.
Ella estaba contenta con su nuevo vestido.
Ella quisiera que él se fuera de inmediato.
Ella es lo suficientemente mayor para saber la verdad.
Ten cuidado de no romper los vasos.
Dile que no llegue tarde al colegio.
¡Ese tipo me robó mi cartera! ¡Deténganlo!
Esa banda de rock me da dolor de cabeza.
Ésa es la mujer cuyo hijo está enfermo.
El promedio de 7,10 y 16 es 11.
El niño entró corriendo a la habitación.
Ese chico fue admitido en la escuela.
La cámara costará al menos 500 dólares.
La puerta se abrió y salió un hombre.
El león es el rey de los animales.
En el momento en que ellos me vieron me saludaron con la mano.
La fiesta tuvo lugar en un gran salón.
La policía estará aquí en cualquier momento.
El soldado fue herido en la pierna.
El té que tomamos allí era excelente.
Las ventanas de mi cuarto están rajadas.
Mi familia está compuesta por cuatro personas.
No hay nada por lo que enfadarse.
No hace falta llorar como un bebé.
Ellos lo llevaron a una casa cercana.
Dicen que esta vieja casa está embrujada.
Este libro no es tan grande como aquél.
Este es más alto que cualquier otro árbol.
Esta es justo la mejor manera de hacerlo.
Hoy es el día más caluroso del año.
Tom y Mary son amigos de John.
Tom y Mary están esperando con John.
Tom y Mary simplemente no confían en John.
Tom le preguntó a Mary si la cena estaba lista.
Tom me pidió que le tirara la pelota.
Tom golpeó la mesa con su puño.
Tom vino a mi oficina esta mañana.
Tom sólo sabe hablar un poco de francés.
Tom podría haber ganado si hubiera querido.
Tom se merece el sueldo que le pagamos.
Tom no sabía que el arma estaba cargada.
Tom no pretendía hacer enfadar a Mary.
Tomás no tiene que preocuparse por mí.
Tom no vive muy lejos de acá.
Tom no quiere levantarse de la cama.
Tom solo come lo que él quiere comer.
Tom tomó un vuelo desde Boston aquella noche.
Tom le hizo pasar un mal rato a Mary ayer.
Tom nunca había visto a Mary tan furiosa.
Tom tiene mucho dinero en el banco.
Tom ha amado a Mary por mucho tiempo.
Tom tiene que irse temprano a la cama esta noche.
Tom es un amigo mío muy cercano.
Tom está incómodo cuando está entre extraños.
Tom no es tan guapo como Mary.
Tom está muy ocupado ahora para hablar con vos.
Tom no está seguro de donde ha ido Mary.
Tom dejó la maleta sobre su escritorio.
Tom miró a Mary, al igual que hizo John.
Puede que Tom no esté tan ocupado como parece.
Tom debe haber visto adonde fue Mary.
Tom cogió una flor y la olió.
Tom me robó todo y cada uno de los centavos que yo tenía.
Tomás compartía una habitación con su hermano.
Tom piensa en Mary todo el tiempo.
Tom le dijo a Mary que no estudiara tanto.
Tom le dijo a Mary que lo hiciera de inmediato.
Tom tomó un vuelo directo a Boston.
Tom quería que Mary aceptara su obsequio.
Tom quiere construir la casa de sus sueños.
Tom no estaba de humor para hablar con Mary.
Tom se ofendió por lo que Mary dijo.
Tom no fue capaz de hacer reír a Mary.
Tomás se preguntaba por qué le abandonó su mujer.
Normalmente yo voy a la cama después de medianoche.
Escogimos a Tom como capitán del equipo.
No hay razón para que nos quedemos aquí.
Necesitamos un poco más de tiempo para preparar.
Realmente necesitamos a un hombre como tú aquí.
Estamos seguros de que fue un accidente.
¿Fuiste tú el que hizo sonar la campana?
Lo que está haciendo va contra la ley.
Lo que ha hecho ese hombre es una atrocidad.
¿Cuál fue su reacción a esta noticia?
¿Cuándo fue la última vez que viste a Tom?
¿Quién va a cuidar de nuestro perro?
¿En tu casa quién lleva los pantalones?
¿Por qué Tom no le contó a Mary la verdad?
¿Por qué crees que Tom haría esto?
¿Por qué no buscas algo para comer?
¿Por qué no vienes a mi fiesta?
Anótalo antes de que se te olvide.
Vos no tenés idea de lo que es el verdadero amor.
Te ves bien con el cabello corto.
Tendrás que conseguir uno por tu cuenta.
Tu despacho no es tan grande como el mío.
El fuego se inició en el primer piso.
Muchos trabajos son hechos por las computadoras.
Una pequeña caminata me trajo al lago.
Todo lo que tienes que hacer es hacerlo lo mejor que puedas.
¿Me estás acusando de ser un mentiroso?
No pude salir a causa de la lluvia.
¿Puedo reservar dos asientos para ese vuelo?
China es un importante exportador de armas.
¿Te dijo Tom dónde era la fiesta?
¿Tenemos tiempo para una taza de café?
¿Te sabes la letra de esta canción?
¿Prefieres ir en tren o en autobús?
¿Crees que lo que ella dijo es mentira?
¿Te lavas las manos antes de las comidas?
No dejes que los niños jueguen en la carretera.
Conducir un auto es realmente muy simple.
Cada vez que llueve, el techo gotea.
De aquí en adelante iremos en vehículo.
¿Alguna vez has estado en un crucero?
¿Alguna vez has puesto una trampa para osos?
Él compró un montón de harina y de aceite.
Él puede hablar y escribir en ruso.
Él podía correr rápido cuando era joven.
Él ni siquiera le echó una ojeada a los documentos.
Trazó una línea recta en la pared.
Él tomó un libro de la estantería.
Tiene un profundo afecto por su hijo.
Él se ha ido a Italia a estudiar música.
Él la invitó a ir al concierto.
Él ya no es el de hace diez años atrás.
Él miró a las vacas en los campos.
Él hace como si no le importara el dinero.
Él salvó a un niñito de ahogarse.
Él se escabulló para reunirse con una chica.
Él me dijo que deje la ventana abierta.
Él quiere pasar tiempo con su hijo.
Él fue despojado de sus derechos civiles.
Él estaba sentado entre Mary y Tom.
Salió a dar un paseo con su perro.
Él volverá en un par de días.
Es un amigo mío que se llama Jeannot.
Él no es el mismo tipo de antes.
La madre de ella es quién la transformó en lo que es.
¿Cómo puedo hacer una llamada a larga distancia?
¿Cómo crees que me hace sentir eso?
¿Con cuánta comida debería estar alimentando a mi perro?
Me estoy quedando donde mi tío en Tokio.
Le pedí el número de Mary a Tom.
Me compré unas gafas de sol grandes.
No puedo creer que me haya olvidado de eso.
No puedo perdonarle por lo que hizo.
Reviso mi buzón casi todos los días.
No me gustó el argumento de la película.
Yo no sé como tratar con niños.
No sé por qué estaba ocurriendo aquello.
No quiero que Tom venga por acá.
No quiero gastarme más de diez dólares.
Soñé que me comía una torta de manzana.
Me llevo bien con mi hermano menor.
Tenía esperanzas de que nos haríamos amigos.
He escalado el monte Fuji tres veces.
He leído cada libro en el estante.
Tengo que coger un autobús para ir adonde sea.
No he leído ninguna de sus dos novelas.
Le ayudé a mi madre con la comida.
Me mantengo en forma trotando todas las mañanas.
Sé que me culpas por la muerte de Tom.
En las noches me gusta venir a este parque.
Le conocí una vez cuando yo era estudiante.
No he tenido nunca la oportunidad de ocuparlo.
El domingo juego tenis en el parque.
De verdad que no sé mucho sobre eso.
Dije que te compraría un trago, ten.
Ahora me doy cuenta que hemos cometido un error.
Pasé todo el día en la playa.
Creo que Tom está buscando sus llaves.
Creo que ya es hora de que siga adelante.
Pensé que Tom ya se había ido a casa.
Te dije que no quería hacer esto.
Cuando era joven, me iba al colegio caminando.
Quiero ser un buen jugador, como tú.
Quiero escuchar lo que tenés para decir.
Quiero que vayás a Boston con Tom.
Yo era muy niño cuando sucedió eso.
Nunca te voy a obligar a casarte con él.
Ojalá hubiera aprendido esto en el colegio.
Yo jamás me uniría a una sociedad secreta.
Te llamaré más tarde desde la oficina.
Te diré lo que quiero que hagas.
Voy a estar demasiado liado para hacer eso.
Ni siquiera estoy seguro de si esta es mi llave.
Soy lo bastante grande para hacer eso yo solo.
Lo siento, no hay nada que pueda hacer.
Finalmente me he acostumbrado a la vida urbana.
Si tú no me lo recuerdas, me olvidaré.
¿Va a ser posible ver Venus esta noche?
¿Hay algo que pueda hacer para ayudar?
Es una buena idea leer este libro.
Se rumorea que él se fue a la bancarrota.
Parece que él está muy ocupado hoy.
Hacía calor, así es que abrí la ventana.
No es algo para lo que sea muy bueno.
Jacob Coxey estaba listo para lo peor.
Déjame prepararte una taza de café caliente.
Ponle llave a la ventana antes de acostarte.
Mary tiene una página web para su negocio.
Maria fue en enseñanza media a un colegio católico.
Mamá me dejó un poco de comida.
Mi gato tiene una cola grande, blanca y peluda.
Mi padre dejó de fumar el año pasado.
Mis pies son pequeños comparados con los tuyos.
Para la edad que tiene, mi madre parece más joven.
Mi hijo aún no tiene edad para ir a la escuela.
Ningún regalo es más precioso que la confianza.
Ningún otro chico de la clase es más alto.
No todos los libros valen la pena leer.
Sólo unas pocas personas se presentaron a tiempo.
Nuestra ciudad ha sido bombardeada dos veces esta semana.
Por favor, vuelve dentro de media hora.
Por favor prométeme que no harás eso.
Ella le acusó de robarle el coche.
Ella me preguntó qué había sido de él.
Ella se me acercó y me preguntó mi nombre.
Ella no compró el boleto al fin y al cabo.
Ella se levanta tarde los domingos por la mañana.
Ella tenía tiempo para su hobby favorito.
Ella acostumbra quedarse despierta toda la noche.
Ella se hizo amiga suya en Boston.
Se sonrió a sí misma en el espejo.
Ella sacó un libro de la repisa.
Ella no iría de paseo con él.
Hay gente que lee libros para matar el tiempo.
Estudia mucho, si no no aprobarás el examen.
Explícame la razón por la que él fue despedido.
Gracias a ti, gasté todo mi dinero.
Eso es justo lo que iba a decir.
El avión pronto se perdió de vista.
El niño debe haber roto la ventana.
El autobús tuvo un retraso de diez minutos.
El entrenador le dio algunos buenos consejos.
El doctor la curó de su enfermedad.
El perro de al lado ladra todo el tiempo.
La película no fue un éxito en Japón.
Las niñas estaban sentadas una al lado de otra.
La ley dice que todos los hombres son iguales.
El hombre con quien Mary habla es Tom.
La vida nocturna es mejor en Nueva York.
El policía lleva puesta una máscara de gas.
La camisa que me diste me queda perfecta.
El sistema está funcionando muy bien ahora.
La tasa de desempleo ascendió un 5 %.
Las mujeres están en frente de la biblioteca.
Hay problemas en esta cuenta de teléfono.
Hay una iglesia al cruzar la calle.
Hay un poco de agua en el balde.
Puede haber otra forma de hacer esto.
Esta ropa es muy pequeña para él.
Ellos ni siquiera sabían que estábamos ahí.
Ellos van a la iglesia el domingo a la mañana.
Ellos le van a dar la culpa de esto a Tom.
Este puente se construyó hace dos años.
Este es uno de los mejores hoteles de Boston.
Puede que no sea un diamante auténtico.
Esta no fue una decisión fácil para nosotros.
Tom actuaba como si no conociera a Mary.
Tom y Mary tienen más o menos la misma edad.
Tom y Mary están pasando un buen rato.
Tom y María son los únicos sobrevivientes.
Tom y María fueron juntos a caminar.
Tom preguntó a Mary si había visto a John.
Tom abordó un tren con destino a Tokio.
Tom no puede hacer lo que le dé la gana.
Tom cerró los ojos y se durmió.
Tom hizo la tarea en la cocina.
Tom no tuvo que ir a trabajar hoy.
Tom no se rinde con facilidad, ¿o sí?
Tom no tiene que trabajar los lunes.
A Tom no le molesta hacer eso por ti.
Tom no quiere hacer enojar a Mary.
Tom olvidó en donde puso sus lentes.
Tom tuvo una cita con Mary anoche.
Tom se tomó la foto con María.
Tom tiene un cajón lleno de cables USB.
Tom tiene pelo largo y lleva anteojos.
Tom tiene algo en su mano derecha.
Tom escuchó a Mary hablando en el sueño.
Tom se hirió la rodilla cuando se cayó.
Tom es un activista en su comunidad.
Tom es completamente inadecuado para el trabajo.
Tomás está casado con una de mis primas.
Tom es una persona en la que no se puede confiar.
Tom está esperando a que Mary vuelva a casa.
Tom me acaba de contar sobre el accidente.
Tom sabía lo que Mary quería que él hiciera.
Tom vivía en Boston hace tres años.
Tom se mudó a Boston hace tres años.
Tom debería haber llamado a la policía.
Tom puso su pistola abajo de la almohada.
Tom dijo que puede conseguirnos lo que necesitamos.
Tom se sentó junto a Mary en el concierto.
Tom dice que come más cuando está triste.
Tom le mostró fotografías de Juan a María.
Tom habla francés tan bien como tú.
Tom piensa saber hacia dónde fue María.
Tom le dijo a Mary que no nadara con John.
Tom trató de convencerme de hacer eso.
Tom quería hablar con el padre de María.
Tom era como un miembro de nuestra familia.
Tom no estaba en su pieza esta mañana.
Tom despertó con un dolor en su costado.
Trata de hacerlo durar un poco más.
¿Acaso no fue él quien te robó la billetera?
No queríamos ir, pero tuvimos que hacerlo.
Tenemos un club de boxeo en la escuela.
Tenemos cinco clases de inglés por semana.
Tenemos que idear algún medio de escape.
Pasamos el día libre en la costa.
Antes íbamos a patinar sobre hielo todos los fines de semana.
¿Usted estaba presente en la escena del crimen?
¿Qué quiere el doctor que yo coma?
¿A qué hora quieres que esté aquí?
¿Cómo es el clima en Nueva York?
Cuándo estuve en Boston lo visité a Tomás.
¿Quién es el poeta más grande de Inglaterra?
¿Por qué la gente le tiene miedo a la policía?
¿Por qué no pensaste en eso antes?
¿Por qué no me dices qué ocurrió?
¿Vas a tomar otra taza de café?
¿No vendrás a verme la próxima semana?
¿No quieres tomar un poco de té?
No le podés mostrar este video a nadie.
No tienes idea de lo que te perdiste.
Debes terminar este trabajo en una semana.
Tú eres más fuerte que el resto de nosotras.
Su nombre fue borrado de la lista.
Un grupo de delincuentes se robó el dinero.
Una modelo debe tener un cuerpo atractivo.
De repente, un perro se puso a ladrar.
Un terremoto puede ocurrir en cualquier momento.
El arte no es un lujo, sino una necesidad.
Tan pronto como llegue se lo diré.
Cuidado que puede romper los dientes de los engranajes.
Llámame cuando sea que necesites mi ayuda.
Desde ahora estamos a sólo dos semanas de Navidad.
No use este aparato cerca del agua.
¿Te sabes el significado de esta palabra?
¿Acaso Tom sale a beber con María a menudo?
No le tengas miedo a ver al doctor.
O tú o yo debemos ir en su lugar.
Disculpe, ¿le importaría si abro la ventana?
Infórmese usted de que clase de persona es.
Dios creó el cielo y la tierra.
Él postuló para la admisión al club.
Él no pudo venir porque está enfermo.
Él se toma una botella de cerveza a la cena.
Él entró al cuarto sin su sombrero.
Al fin encontró a su hermano desaparecido.
Él le da todo lo que pide.
Él tuvo tres hijos que se hicieron doctores.
Tiene un plan para ir al extranjero el próximo año.
Él es más alto que todos los otros chicos.
Se le paga un salario mensual atractivo.
Él es lo que se dice un hombre que se ha hecho a sí mismo.
Él perdió la paciencia y pegó al niño.
Él se deja diez dólares cada semana.
Él puso la alarma antes de irse a acostar.
Él se puso en pie con el sombrero en una mano.
Él estaba enfadado porque yo lo había insultado.
Él estaba meditando acerca de su futura vida.
Él fue inteligente al no participar en eso.
Se limpió las manos con un pañuelo.
Empezó a elevar la voz a medida que hablaba.
Sus competencias le capacitaron para el puesto.
¿Cómo llegasteis a conoceros el uno al otro?
Ya te dije todo lo que sé.
Me alegro de no haber comprado tal cosa.
Le pedí a Tom que cantara mi canción favorita.
Compré la misma cámara que tienes tú.
No puedo creer que esté haciendo esto otra vez.
No sé decir si Tom está bromeando o no.
No puedo correr porque estoy muy cansado.
Me serviría algo de ayuda en la cocina.
Hice exactamente lo que dije que haría.
No sabía que podías cocinar tan bien.
No me importa si nuestro equipo gana o no.
No sé nada acerca de su pasado.
No sé por qué está tan preocupada.
En realidad no me gustan las tiendas de ahí.
No quiero que nadie sepa que estoy aquí.
Solo tengo cinco días de vacaciones este verano.
Me corté el pelo en la peluquería.
Tuve que estudiar francés en el instituto.
Lo conozco desde que era un bebé.
No tengo más tiempo para hablar con vos.
Le tengo que devolver el dinero a Tomás.
Escuché por ahí que fuiste a los Estados Unidos.
Espero que no te moleste que me haya pasado.
Sé que es temprano, pero vayamos a la casa.
Lo miré para ver si me estaba tomando el pelo.
Accidentalmente me encontré con ella en la estación.
Necesito saber que Tom estará a salvo.
Llamé a Mary, pero la línea estaba ocupada.
Me arrepiento de no haber hecho caso a su consejo.
Me acuerdo del día en que nos conocimos.
Vi a la chica que nadaba en el río.
Estudio inglés los lunes y los viernes.
Pienso que Tom va a estar feliz de verte.
Creo que no va a llover esta tarde.
Creo que deberíamos decirle la verdad a Tom.
Pensé que a Tom le gustaría ver esto.
Pensé que dijiste que te llamabas Tom.
Antes yo pensaba que Tom era apuesto.
Quiero que vayas a Osaka de inmediato.
Hace unos días estuve en el hospital.
Fui al aeropuerto a despedirme de él.
Ojalá hubiera comprado un billete para el concierto.
Yo te daría la luna si pudiera.
Me gustaría ir a Australia alguna vez.
Voy a dejar los maletines en la habitación de Tom.
Me temo que no hay nada que podamos hacer.
Voy a ir a llevar al perro al veterinario.
No soy responsable de lo que ha hecho Tom.
No soy el único que puede hacer eso.
Estoy segura que Tom se está ocupando de María.
He estado despierto la noche casi entera.
He depositado el dinero en el banco.
Si te pago un dólar, estaremos en paz.
Si necesitas un bolígrafo, te dejaré uno.
En la mayoría de los casos, sus respuestas son acertadas.
¿No es hora ya de otra cerveza?
Está en el lado izquierdo de la calle.
Parece que has tenido un día ajetreado.
Me parece que nos deberíamos ir ahora.
La vio por primera vez en Kyoto.
Fue el momento perfecto para un beso.
Para los monos es sencillo trepar árboles.
Es poco habitual en él que se levante temprano.
El invierno pasado fui a esquiar a Canadá.
Se perdieron muchas vidas en el accidente.
Mary se quedó impresionada con lo que vio.
México es un país de América del Norte.
En mi familia, la que se levanta más temprano es mi madre.
Mi padre me ayudó con los deberes.
Mi madre le está haciendo un pastel a mi padre.
Mi hermana estaba en Nueva York hace un año atrás.
Mi tío ha vivido muchos años en el extranjero.
Ninguno de mis compañeros de clase vive cerca de aquí.
Un americano fue asesinado en la pelea.
Nuestro próximo encuentro será el lunes que viene.
Por favor, saluda a tu esposa de mi parte.
Por favor, escribidme de vez en cuando.
Pon un poco de sal en el agua hirviendo.
Ella me acusó de robar su dinero.
Ella discutió con él y luego lo golpeó.
Se quejó con él sobre la comida.
Ella tamborileó con los dedos sobre la mesa.
Ella me saludó con una agradable sonrisa.
Ella le oyó cantar su canción favorita.
Ella me invitó a su fiesta de cumpleaños.
Ella hizo un viaje a Europa el mes pasado.
Ella puso los platos sucios en el fregadero.
Ella le enseñó a tocar el piano.
Ella enfrentó el castigo con una sonrisa.
Ella casi fue atropellada por un auto.
Ella se fue de viaje hace algunos días.
El fútbol es el más popular en Brasil.
Sin duda alguien se dejó la puerta abierta.
Déjese de rodeos y vaya a hacer lo que le dije.
Decile al taxista que maneje más rápido.
Esa escuela se ve tal como una prisión.
Eso no es en lo que estaba pensando.
El colectivo está muy lleno esta mañana.
La ciudad estaba llena de soldados hambrientos.
La víctima se vio involucrada en una pelea.
El primer paso es el más difícil.
La casa tenía un muro de piedra a su alrededor.
Las hojas del árbol se volvieron amarillas.
La camarera todavía no ha arreglado el cuarto.
Al día siguiente, Isabela volvió a casa.
El piano no cabe por esa puerta.
El problema es que no tenemos dinero.
La rosas de mi jardín son preciosas.
El soldado apuntó con su arma al hombre.
La mesera me saludó con una sonrisa.
Hay un montón de chicas en el cuarto.
Hay un parque frente a mi casa.
No hay cura para el resfrío común.
No había nada que pudimos haber hecho.
Hay una gran división en el partido.
Ellos normalmente van al colegio en bicicleta.
Este libro está dividido en cuatro partes.
Este es un perro que se asemeja a un caballo.
Esta es la mejor guitarra en la tienda.
Este es el lugar donde nació Tom.
Este tipo de libros no nos sirve.
Esta mina cerrará el mes que viene.
Esta canción me recuerda a mi infancia.
Esos dos niños tenían la misma edad.
Tom actuó como si nada hubiera pasado.
Tom parece estar siempre de mal humor.
Ambos, Tom y Mary, tan sólo miran a John.
Tom y Mary viven en la misma calle.
Tom me preguntó si acaso había encontrado las llaves.
Tom culpó a Mary por todos sus problemas.
Tom no puede culpar a Mary por estar enfadada.
Tom viene cada dos meses a Boston.
Tom se cubrió la cabeza con la almohada.
Tom depositó algo de dinero en el banco.
Tom no sabía lo infeliz que era Mary.
Tom no quería que Mary hablase con John.
Tom no sabe lo que Mary le dijo a John.
Tom no cree que Mary tenga razón.
Tom sentía que le debía a María una explicación.
Tom encontró una pistola cerca del cubo de la basura.
Tom va a la iglesia los domingos a la mañana.
Tom tenía un gran amor por su país.
Tom tuvo que hacer una difícil elección.
Tom tiene talento para la pintura moderna.
Hace años que Tom no toca el piano.
Tom está en su escritorio comiendo un sándwich.
Tom no es serio con sus estudios.
Tom es más alto y más fuerte que Mary.
Tom es tres pulgadas más alto que yo.
Tom no es tan feliz como parece.
Tom sabía la clase de mujer que era Mary.
Tom dejó sola a María en la habitación.
Tom vive en la misma calle que Mary.
Tom planea ir a la universidad el próximo año.
Tom se rehúsa a recibir ordenes de Mary.
Tom dijo que estaba demasiado ocupado para comer.
Tom se quedó en Boston durante tres semanas.
Tom le dijo a Mary que se estacionara en otro lado.
Tom sacó una foto a su propia cámara.
Tom caminó hasta la puerta y la abrió.
Tom murió en un accidente de tránsito.
Tom no estaba al tanto de lo que había pasado.
Tom fue a la cárcel por vender drogas.
Tom irá independiente de si María va o no.
Tom se pregunta por qué Mary vino aquí sola.
El apellido de Tom es difícil de pronunciar.
Dos páginas del libro se quedaron pegadas.
Nos volvemos olvidadizos a medida que envejecemos.
No vimos a ninguna chica en el grupo.
Tenemos que comprar las entradas ahora mismo.
Tenemos que buscar un buen lugar para escondernos.
Nos solíamos encontrar de camino a la escuela.
Nos vimos obligados a cambiar nuestra táctica.
¿Qué te gusta hacer cuando hace calor?
¿Qué es exactamente lo que querés que haga?
¿Qué tipo de mujer crees que soy?
¿A qué hora debería ir al aeropuerto?
Lo que necesitas son unas buenas vacaciones.
¿Qué hay de malo en lo que hacemos?
¿Cuándo fue la última vez que hiciste ejercicio?
¿Qué es más fuerte, un tigre o un león?
¿Quién es ese hombre que está sentado en la esquina?
¿Por qué vivió en los Estados Unidos?
¿Por qué no buscas algo para beber?
¿Por qué no me dices cómo hacer esto?
Ayer fue el último día de clase.
Puedes estar seguro de que llegarán a tiempo.
No te puedes imaginar lo feliz que ella estaba.
Mejor te hubieras ido de ahí el lunes.
No has escuchado ni la mitad todavía.
Tienes que ser educado con tus invitados.
Tu bicicleta es mucho más nueva que la mía.
"¿Ella compró un reloj?" "Sí, así es."
Se usó un martillo para romper la ventana.
Un acuerdo de negociación está fuera de discusión.
Todo lo que sé es que él viene de China.
A pesar de que el sol había salido hacía frío.
Como regla, los gemelos tienen mucho en común.
Antes de que Tom conociera a Mary, él bebía mucho.
Pero no los puedo entender muy bien.
¿Puede servirme un poco más de vino?
¿Puedes cuidar a mi perro mientras no estoy?
Los ordenadores te ahorrarán un montón de tiempo.
¿De nuevo te olvidaste de encerar el piso?
¿Tú sientes que hacer regalos es importante?
¿Tienes algo que hacer después de eso?
¿De verdad quieres pasarte toda la noche conduciendo?
No te obsesiones mucho con el tema.
Abríguese bien, no se vaya a enfriar.
De ahora en adelante, prometo ser puntual.
¿Alguna vez has hecho un trabajo de voluntario?
¿Has visto a Tom intentar iniciar un fuego?
Se hizo famoso gracias a su madre.
Él puede imitar al resto de la familia.
Él no apareció hasta tarde en la noche.
Él dibujó dos cuadrados en la pizarra.
Él donó todo su dinero a la caridad.
Él nos dio su opinión del poema.
Él tiene acceso a la embajada de los Estados Unidos.
Él siempre habla mal de su esposa.
Él es la persona más alta del mundo.
Él le dejó todo a ella en su testamento.
No le puso atención a lo que ella dijo.
Él apoyó la nariz contra la ventana.
Él se quedó en mi hogar por tres semanas.
Él viajó con su familia a Hawai.
Se le dio un reloj de oro como recompensa.
Él se vio obligado a hacerlo en contra de su voluntad.
Él era demasiado bajo para alcanzar las uvas.
Él va a volver cuando tenga hambre.
Él hará lo que sea por procurarse algo de droga.
Él es rico, pero vive como un mendigo.
Su reputación se vio muy afectada por esto.
Su forma de pensar se basa en su experiencia.
¿Cómo supo la gente que yo no era canadiense?
¿Qué distancia hay de su casa al pueblo?
¿En qué te gastarías un millón de dólares?
Estoy libre hasta las 6 de la tarde.
Yo estoy dispuesto a admitir su petición.
Asumo que te van a pagar por esto.
Me rompí las dos piernas andando en una bicicleta.
¡No puedo creer lo linda que eres!
No puedo invitar a todos mis amigos a la vez.
Yo no puedo decir si tú eres serio o no.
No pude ir a su fiesta de cumpleaños.
No pude resistir el impulso de aplaudir.
Yo no vivo para comer, sino que como para vivir.
No tengo ganas de hablar con nadie.
No sé por qué me molesto en venir aquí.
No me molesta si se pone un poco helado.
No creo que sea necesario hacer eso.
No quiero que nadie escriba sobre mí.
No quiero recordar a Tom de esa manera.
Me siento culpable por haber dicho una mentira.
Voy a Hiroshima tres veces al mes.
Tuve un excelente desayuno a las siete.
No tuve problemas para romper el candado.
Tengo la mala costumbre de morderme las uñas.
Me he convencido de que tengo que trabajar mucho más.
No tengo dinero para comprar el diccionario.
No he sabido nada de ella últimamente.
Espero que todos tus sueños se cumplan.
Conozco un buen abogado que te puede ayudar.
Aprendí a manejar cuando tenía quince años.
He perdido mi reloj, así que tengo que comprarme uno nuevo.
Me encanta ver el béisbol y el fútbol americano.
Tengo que aprobar este examen pase lo que pase.
Necesito saber qué le debería decir a Tom.
La reconocí en el moment en que la vi.
Dije que podía, no que lo fuera a hacer.
Ayer vi a un viejo amigo mío.
No debí haberte pedido que hicieras eso.
He hablado con Tom hace un minuto.
Creo que Tom sabe de John y Mary.
Creo que es hora de que me largue.
Pensé que Tom y Mary estaban muertos.
Pensé que no íbamos a hacer esto.
Amarré a mi perro al árbol en el jardín.
Esperé todo el día que Tom volviera.
Quisiera enviar esta tarjeta postal a Japón.
Quiero que me digas que eso no es verdad.
Estaba esperando que me echaras una mano.
Fui lo suficientemente suertudo como para encontrar un buen asiento.
He ido al hospital a ver a mi mujer.
No iré si no para de llover.
Me pregunto si Tom me enseñará francés.
No me gustaría trabajar en un hospital.
Me gustaría tener una buena charla con ella.
Me gustaría caminar como una persona normal.
Te amaré por el resto de mis días.
Guardaré el dinero para la próxima vez.
Le haré un hueco en mi apretado horario.
Voy a trabajar en Boston el próximo año.
Estoy tan feliz que siento que podría volar.
Me voy a quedar en casa de mi amigo.
He estado buscando mis llaves todo el día.
Solo he estado conectado durante diez minutos.
Si no está enfermo, creo que vendrá.
¿En qué carpeta has guardado el archivo?
¿No es un hermoso día para un picnic?
Hace más frío este año que el año pasado.
No está claro quién escribió esta carta.
Parece que has perdido algo de peso.
Estaba oscuro para cuando llegamos al hotel.
No me molestaría si te llevaras ese libro.
Es peligroso vivir cerca de un volcán.
Es la mayor construcción de la ciudad.
John murió en la misma cama en que nació.
Anoche tuvimos que llamar a la policía.
Hablemos de esto cuando llegue a casa.
El hombre es el único animal capaz de reír.
La mayoría de la gente no lo haría así.
Mi cama es más cómoda que la tuya.
Mi primo es un poco mayor que yo.
Mi padre se lleva bien con sus amigos.
Mi padre se dedica al comercio exterior.
Mi ingreso se ha reducido en un 10 porciento.
Todo lo que soy se lo debo a mi madre.
Mi tío es el gerente de este hotel.
Mi esposa está preparando la cena ahora mismo.
Nadie es tan viejo para no aprender cosas nuevas.
Una forma de perder peso es comer menos.
La gente que quebranta la ley es castigada.
Por favor, dale mis saludos a tu padre.
La reina Elizabeth I falleció en 1603.
Ella le aconsejó que no condujera demasiado rápido.
Ella llamó a su madre al teléfono.
Ella se quejó con él por el ruido.
Ella almuerza aquí de vez en cuando.
Tiene una hija que se llama Mary.
Se lastimó su codo cuando se cayó.
A ella no le gusta nadie y ella no le gusta a nadie.
Ella asintió en respuesta a mi pregunta.
Ella leía una revista sentada en una silla.
Ella pasa su tiempo libre fabricando muñecas.
Ella dijo una mentira blanca por necesidad.
Ella volvió a su viejo vestido en una falda.
Ella estaba deprimida por todos sus problemas.
Ella era demasiado orgullosa para pedir su ayuda.
Ella fue al shopping con sus amigas.
Ella está cuidando de los niños en casa.
Algunas partes de esta ciudad son muy feas.
Habla más fuerte para que todos puedan oírte.
Dile que estoy harta de sus mentiras.
Ese es el tren más rápido del mundo.
A los japoneses les gusta viajar en grupo.
El libro que trajiste no es mío.
El chico que está parado por allá es mi hijo.
El gato estaba jugando con un ratón vivo.
El color blanco es un símbolo de pureza.
El general les ordenó ponerse en marcha.
El hielo se romperá bajo nuestro peso.
Los abogados discutieron el caso por horas.
Llegó el dinero como llovido del cielo.
El anciano le escribió una carta a su hijo.
El pobre chico no tenía ni idea de que hacer.
El problema es que nosotros no sabemos nada.
La habitación se mantuvo cálida para los huéspedes.
El cantante fue asesinado por coyotes salvajes.
La torre estaba un poco inclinada hacia el oeste.
El viaje durará al menos cinco días.
La vista desde la cima es bellísima.
El jarrón mojado dejó una marca en la mesa.
Sus nombres estaban tachados de la lista.
Hay una habitación vacía en la casa.
No tiene sentido llorar sobre la leche derramada.
Estos artículos son bastante difíciles de conseguir.
Se pusieron los cimientos de la casa.
En este autobús se puede ir al aeropuerto.
Así es como llegamos a la conclusión.
Por esto es que no podemos tener cosas buenas.
Este lugar me da muy malas vibraciones.
Esta va a ser una misión muy peligrosa.
Tom estuvo de acuerdo en ayudar a Mary con su trabajo.
Tom y Mary se lo pasaron bien juntos.
Tom y Mary pelean casi todos los días.
Tom le preguntó a Mary cuánto dinero tenía.
Tom me preguntó si quería otra cerveza.
Tom no se puede sacar el anillo del dedo.
Tom confesó que él había matado a Mary.
Tom no podía distinguir a los gemelos.
Tom no creyó lo que Mary le dijo.
A Tom no le gustó mucho el concierto.
Tom no estuvo de acuerdo con Mary en ese punto.
Tom ni siquiera sabe que está en problemas.
Tom no ama a Mary como antes.
Tom no cree estar capacitado para el trabajo.
Tom no quiere ver a nadie hoy.
Tom bebe tres tazas de café al día.
Tom olvidó en dónde dejó su paraguas.
Tom le regaló un ramo de flores a Mary.
Tom hizo que pintaran su casa este verano.
Tom tiene un montón de trabajo esta semana.
Tom no ha hecho nada de lo que deba avergonzarse.
Tom nunca ha tocado guitarra con Mary.
Tom tiene el hábito de morderse las uñas.
Tom no ha oído acerca de Mary desde entonces.
Tom es un completo fracaso como padre.
Tom tratará de hacer algo sobre ese asunto.
Ahora Tom es la estrella de un programa de telerrealidad.
Tom está sentado en la sala de conferencias.
Tom es la víctima de un terrible crimen.
Tom no es tan malo como Mary piensa que es.
Tom salió de la casa después de almorzar.
Tom me hizo jurar que no diría nada.
Tom toca el bajo en nuestra banda.
Tom puso demasiada sal en el guiso.
Tom dijo que ayudaría a Mary con su plan.
Tom dice que no quiere lastimar a Mary.
Tom sonrió cuando Mary entró en la habitación.
Tom se paró y fue hacia la ventana.
Tom cree que Mary se interesa por John.
Tom le dijo a Mary todo acerca de su niñez.
Tom me dijo que no debería comprar eso.
Tom trataba a Mary como a una más de la familia.
Tom quería comprar un nuevo par de botas.
Le pidieron a Tom que saliera en televisión.
Tom fue tan estúpido como para creerle a María.
Tom era el único que confiaba en María.
Tom iba al gimnasio tres días a la semana.
Tom irá sin importar lo que diga Mary.
Tom se preguntaba qué hacía María aquí.
Tom, quiero que te quedes con los chicos.
Tratar de corregir a ese niño es machacar en hierro frío.
Avísale a Tom que María lo está buscando.
No vimos muchos ciervos en el bosque.
No tenemos a quién culpar, salvo a nosotros mismos.
Nos topamos el uno al otro en la estación.
Debíamos haber despegado a las 4:30 p.m.
Hoy vamos a tener un día bastante ajetreado.
¿Qué le regalaste a Tom en su cumpleaños?
¿Qué tenés en contra de esa gente?
¿Qué es esa cosa en tu mano derecha?
¿Qué clase de persona piensas que soy?
¿A qué hora empieza tu primera clase?
Cuando vine a casa, ella estaba viendo la televisión.
¿Cuándo fue la última vez que te diste un descanso?
¿A dónde vas a ir en tu luna de miel?
¿Cuál de estos bolígrafos es más largo, ése o éste?
¿Quién se encarga de la cocina de la escuela?
¿La mancha de café va a arruinar la alfombra?
Puedes quedarte aquí hasta que pare de nevar.
No tienes que venir aquí todos los días.
Tú quizás podrías estar sorprendido del resultado.
Deberías irte a casa. Se está haciendo tarde.
Lo vas a romper si no tienes cuidado.
Nunca has estado es Europa, ¿no es así?
Tu chaqueta y tu corbata no combinan.
"¿Que edad tienes?" "16 años de edad".
Una banda dirigió la marcha por la ciudad.
Una manada de lobos atacó al viajero.
Todos mis amigos van a las escuelas públicas.
Todos los estudiantes empezaron a hablar a la vez.
Un atleta se debe mantener en buena forma.
¿No te vas a terminar tu cena?
Al menos hoy no he perdido nada.
Más vale pez pequeño que plato vacío.
Pero ahora Tom dice que no quiere ir.
¿Podrías decirme donde puedo encontrar a Tom?
Comparada a la nuestra, su casa es un palacio.
¿No te dejé ayer algo de dinero?
¿Sabes quién es el alcalde de Boston?
¿Ves aquella casa? Esa es mi casa.
No digas una palabra de esto a nadie.
¡No lo hagas!, es estúpido y peligroso.
No eleves tu voz más fuerte que un susurro.
¿No ven el cartel de salida por ahí?
Incluso cuando me senté al sol, tenía frío.
Todo depende de lo que tu hagas.
Se acercan los exámenes finales, así que estoy ocupado.
Grecia ya no puede amortiguar su deuda.
¿Alguna vez has puesto a tu gato en una jaula?
Él ajustó el telescopio a su vista.
No abrió la boca en toda la tarde.
Recibió un balazo en el pie izquierdo.
Él tenía la cabeza en las nubes en clase.
Él tiene una nítida conciencia del problema.
Él colgó antes de que pudiera decir nada.
Él se está llevando bien con sus empleados.
Es más rico que cualquier otro del pueblo.
Es muy difícil llevarse bien con él.
Él besó a su hija en la frente.
A él le gusta ver partidos de béisbol en la televisión.
Él necesita ser el centro de atención.
Él me prometió que estaría aquí a las seis.
Él respondió a la proposición de ella riéndose.
Se sentó a su lado con los ojos cerrados.
A veces va a Tokio a hacer negocios.
Él estaba parado con las manos en los bolsillos.
Me sacó una foto con su cámara.
Era pobre y vivía en una pequeña cabaña.
Él se pregunta si a ti te dan miedo las serpientes.
Es un cantante que gusta a todo el mundo.
La mirada severa de ella lo hizo callarse.
Su casa está muy lejos de la estación.
¿Qué te parece si almorzamos en el parque?
¿Qué tan lejos es desde aquí a la estación?
Soy un hombre que no soporta estar solo.
Estoy a cargo del curso de tercero.
Postulé a un puesto en la oficina.
Asistí a la reunión en su lugar.
Vine a Tokio para asistir a una conferencia.
No puedo permitirme el lujo de comprar un coche caro.
No soy capaz de distinguir una rana de un sapo.
No puedo acordarme cuándo se mudó él a Boston.
No puedo agradecerte lo suficiente por tu ayuda.
No pude evitar reírme de sus bromas.
Yo sí hablé, pero nadie me escuchó.
No me gusta vivir en un lugar tan ruidoso.
No tengo carro, pero mi hermana sí.
No sé como pronunciar el nombre de él.
No sé qué clase de persona es.
No sé por qué no lo entendéis.
No me molesta compartir la habitación con él.
No me lavo la cabeza por la mañana.
No quiero que nadie sepa sobre esto.
No me quiero sentir así nunca más.
Como todos los días a la misma hora.
Sentí que alguien me dio una palmada en el hombro.
Recibí un regalo de despedida de parte de todos.
He estado ocupado escribiendo una pequeña historia.
Yo tengo plena confianza en sus capacidades.
Había visto esa cara en algún otro lugar antes.
No veía estas fotos desde hace años.
Espero que no estemos cometiendo un enorme error.
Seguí andando hasta que mis pies no pudieron más.
Conozco a un hombre que habla muy bien francés.
Aprendí a nadar cuando era un niño.
Me gusta aquella ropa más que esta.
La amo desde el fondo de mi corazón.
Voy con más frecuencia a Bruselas que a París.
No conduje un coche hasta los treinta.
Juego al tenis, pero tengo muy mal estilo.
Entré corriendo sin aliento a la sala.
Me acuerdo de ti, nos conocimos hace tres años.
Yo debería ser el que cuida de Tom.
Supongo que es demasiado tarde para hacerlo ahora.
Creo que Tomás no entendió el chiste.
Creo que es posible que él venga.
Creo que esto es exactamente lo que quiere Tom.
Pienso que lo que estás haciendo es peligroso.
Pensé que ya era hora de que todos nos encontráramos.
Te he dicho que no sé cómo hacer eso.
Comúnmente me levanto a las cinco en esos días.
Quiero hablar con usted antes de que salga.
Quería que ella viniera aquí esta noche.
Me multaron por no llevar puesto el cinturón.
Estaba dándome un baño cuando me llamaste.
Lo enviaré por correo electrónico esta tarde.
Me pregunto qué debería hacer para la cena.
Me gustaría ser medido para un traje nuevo.
Quisiera hablar con uno de tus invitados.
Le tendré que explicar eso a mi padre.
Me temo que él no estará aquí hasta la una.
Me vuelvo a casa, ya me he hartado de Tom.
No voy a ir a Boston contigo.
No soy el único que ha hecho eso.
Me sorprende mucho que recibieras el premio.
Estoy muy preocupado por la seguridad de mi hijo.
He decidido que no quiero ser famoso.
Si el tiempo lo permite, visitaré el museo.
Si deseas la paz, prepárate para la guerra.
¿Es cierto que tú te vas a París?
Es como si el cielo entero estuviera en llamas.
Es muy importante que cumplas tu palabra.
Me tomó dos horas llegar a Yokohama.
No será tan fácil de hacer como crees.
No es bueno quedarse despierto hasta tarde.
Japón depende de los países árabes para el petroleo.
Mantengan a los niños alejados de los cuchillos.
Volvamos antes de que empiece a llover.
El amor no es lo único que importa.
Mucha gente usa cajeros automáticos para retirar dinero.
Mary se quiere casar con un conductor de Formula 1.
La mayoría de los japoneses toman agua de la canilla.
Mi hermanito duerme diez horas al día.
Mi padre no ha salido al extranjero ni siquiera una vez.
Mi hijo crecido estudia ahora en el extranjero.
Mi mamá se levanta temprano por la mañana.
Mi hermana fue a Italia a estudiar música.
Nada es inevitable excepto la muerte y los impuestos.
Solo un puñado de personas conocen el hecho.
Hágame el favor de llamarme esta noche a mi oficina.
Por favor mueva la silla. Está en el camino.
Dime por favor cómo arrancar el motor.
Lee tantos libros como te sea posible.
Ella le aconsejó seguir una dieta estricta.
Ella me pidió que la ayudara con el trabajo.
Ella puede tocarse la nariz con la lengua.
Ella no dejaba que el fracaso la desalentara.
Ella gana en promedio diez libras por semana.
Se acicaló completamente para su gran cita.
Ella lo invitó a que pasara a tomarse una taza de café.
Ella está mucho mejor hoy que ayer.
Ella fingió no saber nada al respecto.
Ella empezó a bailar cuando tenía ocho años.
Ella me dijo el nombre de él después de que se hubiera ido.
Ella estaba segura que el hombre estaba diciéndole una mentira.
Ella se frotó la cara con un pañuelo.
Así que trabaja en esta fábrica, ¿no?
Algunas personas comen el sushi con las manos.
Es extraño decirlo, pero no sentí dolor alguno.
Ese niño habla como si fuera un adulto.
Por eso te dije que no vayas en auto.
El actor hizo su papel con emoción.
El autor de este libro es aún joven.
El patrón tuvo que aprontarle algún dinero.
El niño estaba buscando la llave perdida.
El auto se detuvo frente al banco.
El contenido de la carta era secreto.
El dodo es una especie ya extinta.
El enemigo siguió atacando la noche entera.
La primera estación del año es la primavera.
El chico se tropezó y cayó de rodillas.
El abogado nos explicó la nueva ley.
Me habló el hombre que estaba sentado a mi lado.
La oficina está llena de gente competente.
La fiesta duró más de tres horas.
El precio de esta cámara de fotos es exorbitante.
Los ricos son diferentes a ti y a mí.
El barco se hundió al fondo del mar.
No pude ir allí a causa de la nieve.
Las provisiones se están empezando a acabar.
El problema es que ellos no tienen dinero.
La manera en que ella nos habló fue sospechosa.
Hay muchas malas personas en el mundo.
No hay lugar a dudas de que él fue asesinado.
No había un solo libro en la habitación.
Esta noche hay una fiesta en la casa de Tom.
Ellos dos trabajan en la tienda de mascotas.
En la tienda venden azúcar y sal.
Por lo general, ellos llegan a casa más tarde que nosotros.
Esta caja es el doble de grande que ésa.
Este clima helado no es común en junio.
Esta es una historia de amor y amistad.
Este es el diccionario que uso todos los días.
Esta mañana me he levantado más tarde de lo habitual.
Este año ha sido un año con suerte para él.
Tomás le recomendó a María que no vaya ahí sola.
Tom siempre se veía feliz, pero nunca lo estaba.
Tom y Mary no pueden estar en la misma habitación.
Tom y María se sentaron juntos en el sofá.
Tom le preguntó a Mary si conocía a la mujer de John.
Tom preguntó a Mary por qué John era tan infeliz.
Tom se fundió todo su dinero en una moto.
Tom puede hablar francés mejor que yo.
Tom desafió a Mary a una partida de ajedrez.
Tom no lo pudo haber hecho sin Mary.
Tom decidió que era hora de irse a dormir.
Tom no tenía la intención de dejar que Mary lo besara.
Tom no me dijo a quién tengo que darle esto.
Tom no tiene ningún amigo en Boston.
Tom no sabe lo que le pasó a Mary.
Tom, al parecer, no sabe lo que quiere.
Tom no ve la televisión contigo, ¿verdad?
Tom rebuscó en su bolsillo las llaves.
A Tom le robaron su billetera en el tren.
Tomás ha estado causando un montón de problemas.
Tom no tiene idea de dónde dejó sus llaves.
Tom no ha tocado la guitarra en años.
Tom le está haciendo preguntas al profesor.
Tom está en su cuarto, haciendo una maleta.
Tom no es el padre de Mary, sino su tío.
Tom llamó a la puerta de la habitación de María.
Tom dejó un mensaje diciendo que llegaría tarde.
Tom se ve chingón, no importa lo que lleve puesto.
Tom tiene que saber a lo que se enfrenta.
Tom pagó demasiado por este carro viejo.
Tom dijo que él estaba dispuesto a ayudarnos.
Tom pegó el botón de atrás de su camisa.
Tom a veces se hurga la nariz en público.
Tom me arrojó algo y yo me agaché.
Tom cogió un caramelo de la bolsa.
Tom quería que María le prestara dinero.
Tom apenas seguía vivo cuando lo encontramos.
Tom nunca estuvo realmente enamorado de Mary.
Tom fue incapaz de disimular su sorpresa.
Tom desearía poder hacer un nuevo comienzo.
Dos perros pueden ser distintos pero similares.
Siempre hacemos una fiesta por su cumpleaños.
Es probable que lleguemos allá antes de que oscurezca.
Finalmente llegamos a la cima del Monte Fuji.
Tenemos mayores problemas de los que preocuparnos.
Vivimos durante muchos años en el campo.
Deberíamos tratar de entendernos el uno al otro.
Con esa muchacha nos llevamos un chasco terrible.
Vamos a tener que ser muy cuidadosos.
Lo que Tom verdaderamente quería era ser feliz.
¿¡Qué has estado haciendo todo este tiempo!?
¿Cuál es la montaña más alta en Europa?
¿A qué hora te levantas por la mañana?
¿Cuál es tu ciudad favorita en el mundo?
¿Cuándo fue la última vez que hiciste una torta?
¿Dónde me puedo lavar las manos antes de comer?
¿Qué te gusta más, la carne o el pescado?
¿Cuál de estos dos es el bueno?
¿Quién no conoce un proverbio tan simple?
¿Por qué no simplemente le dijiste la verdad a Tom?
¿Por qué no hablamos de otra cosa?
¿Por qué tus alumnos no leen así de bien?
¿No vendrás a mi casa el próximo domingo?
¿Te importa si duermo aquí esta noche?
No puedes ser muy cuidadoso cuando conduces.
Pareces que acabas de ver un fantasma.
Tenés que estar más atento en la clase.
Por su edad, tienes que ser indulgente.
Será mejor que comiences lo más pronto posible.
Tu sueño se podría hacer realidad en cualquier momento.
Señor, recibimos una llamada de un caballero mientras usted estuvo ausente.
Lo único que puedo decir es que preferiría no ir.
Todos los muebles estaban llenos de polvo.
¿Vas a grabar el capítulo de hoy?
Hasta donde yo sé, el rumor es falso.
Las bacterias son invisibles a simple vista.
Mis padres murieron cuando tenía cinco años.
¿No puedes conseguir a alguien más que te ayude?
Las clases empiezan a las nueve en punto todos los días.
El crimen ha estado frecuentemente relacionado con la pobreza.
¿No te di 10.000 yenes hace una semana?
¿Tienes alguna idea de dónde podría estar Tom?
¿Quiere usted que ponga esto encima de la mesa?
No saques la mano por la ventana.
La comida rápida es mala para tu salud.
Todo estudiante tiene acceso a la biblioteca.
Todo lo que Tom dijo sobre Mary era verdad.
El perdón es el regalo más grande.
Cuelga tus camisas antes de que se arruguen.
¿De verdad ya has encontrado un nuevo trabajo?
Llegó a tiempo a pesar de la lluvia.
Él se quejó de que la sopa estaba demasiado caliente.
Él no habla a menos que se lo pidan.
Él se gana la vida enseñando inglés.
Saca jugo de todo lo que hace.
Él tiene el atrevimiento de ignorar mi consejo.
Él no ha pagado su parte del alquiler.
Él se codea con todo tipo de gente.
Él está ahora en una situación muy difícil.
Él no es el único que tiene esa opinión.
Él perdió a su hijo en un accidente de tránsito.
Él sólo pagó diez dólares por esa camisa.
Él le echó leche a su té y lo revolvió.
Él envió una carta dirigida a su tío.
Pensó que se parecía a una jaula.
Él tomó un baño caliente y encendió la televisión.
Él llegó tarde por culpa del accidente.
Le condenaron a tres años de prisión.
Él llegará allí alrededor de las cinco en punto.
Él escribió este libro a los veinte años.
Hola, mi nombre es Pekka. ¿Cuál es tu nombre?
Su actitud chulesca me pone de los nervios.
¿Durante cuánto tiempo has estado aprendiendo inglés?
¿Qué edad tenías cuando estalló la guerra?
Siempre se me olvida mi paraguas en el tren.
Me alegro de tener muchos buenos amigos.
Estoy pensando en ir al extranjero el próximo año.
Le pedí a mi madre que me despierte a las cuatro.
No puedo creer que Tom se lo comiera entero.
Ya no puedo soportar el calor ni un momento más.
Aún no puedo decirte la respuesta a eso.
No sé cocinar tan bien como mi madre.
No pude despejar mi duda con respecto a eso.
Lo hice de acuerdo con sus instrucciones.
No tengo ganas de ir a la escuela hoy.
No tengo tiempo para leer este libro.
No sé cuál es la respuesta correcta.
No creo que debamos cerrar la ventana.
No quiero ir de picnic con Tom.
Le doy de comer carne a mi perro al menos una vez a la semana.
Me levanté temprano para coger el primer tren de la mañana.
Tengo un amigo cuya mujer es pianista.
Desayuno a las siete todas las mañanas.
He visto ángeles y he hablado con ellos.
Tengo que dar una clase mañana a las dos y media.
Dicen que te estás juntando con Tom.
Espero que no le digas a Tom lo que pasó.
Sé que no debería importarme lo que Tom piense.
Sé el motivo, pero no puedo decírtelo.
Me gusta mucho cuidar de los animales.
Me puse a escuchar pero no oí ningún sonido.
Me ofrecí a ayudarle con sus tareas.
Prefiero el sabor del pescado de agua dulce.
Me arrepiento de haber perdido la oportunidad de encontrarme con ella.
Debería haber seguido el consejo del médico.
Creo que encontré lo que estás buscando.
Creo que es hora de que me compre una casa.
Creo que tal vez eso sea todo lo que tengas que hacer.
Pensé que te había dicho que recortases tu barba.
Pensé que Tom jamás te vería otra vez.
Pensé que no querías hablar con nosotros.
Tomé un avión de Tokio a Kyushu.
Giré el volante del coche hacia la derecha.
Quiero oír lo que todos tienen que decir.
Yo ya estaba ocupado planeando mis vacaciones.
Fui despertado bruscamente por un ruido fuerte.
Fui al hospital a ver a mi madre.
Desearía poder ayudarte a encontrar un buen empleo.
Me pregunto si Tom irá a la fiesta de Mary.
Me pregunto por qué las mujeres viven más que los hombres.
Yo no me preocuparía por eso si fuera tú.
Me quedaré aquí sentado mientras él canta.
No volveré a comer en este restaurante.
Me quedaré aquí si de verdad quieres.
Estoy borracho, pero todavía puedo hablar alemán.
No me avergüenza que mi padre sea pobre.
Estoy muy seguro de que él llegó tarde a propósito.
Si no soy tan malo como tú piensas.
Estoy seguro de que tiene algo bajo la manga.
He podido leer desde que tenía cinco años.
Nunca he confiado en él y nunca lo haré.
Si Tom estuviera en problemas, Mary lo sabría.
Yo haría lo mismo en una situación similar.
¿Es cierto que entonces estaba en Madrid?
¿Hay algo que pueda hacer por usted?
Hiere cuando los otros niños te ignoran.
Es un hecho de que quiere visitar a Egipto.
Ella tardó mucho tiempo en escoger un sombrero.
Era un barco con una tripulación de 25 marineros.
Fue de pura casualidad que él ganó la partida.
Es demasiado peligroso que te quedes aquí.
El año pasado él pasó tres meses en el mar.
Mira al bebé que está durmiendo en la cuna.
A muchos de los trabajadores les faltan algunos dedos.
Mary se enamoró de un oficial alemán.
El padre de Mary le dejó todo su dinero.
Méjico tiene la mitad de población que Japón.
Mi mochila es muy vieja. Debo comprar una nueva.
Mi primo es bueno haciendo trucos de magia.
Mi padre sabe nadar, pero mi madre no.
Mi padre solía leerme a la hora de acostarme.
El cuadro de mi abuelo está colgado en la pared.
Mi madre me dice que no estudie tan arduamente.
Mi hijo ya sabe contar hasta cien.
Mi mujer me convenció de comprar un coche nuevo.
No importa lo que él diga, no le creas.
No todo se puede comprar con dinero.
Obviamente él no es esa clase de persona.
A nuestro hijo le gustan los perros, pero yo prefiero los gatos.
Por favor vuelve a casa tan rápido como puedas.
Por favor presta atención a lo que estoy diciendo.
Por favor, despiértame mañana por la mañana a las 6.
Es peligroso andar de a dos en bicicleta.
Los científicos parecen estar en lo cierto.
Discute sólo por el gusto de discutir.
No pudo evitar sentir lástima por él.
Ella tenía su bolso agarrado de su brazo.
Ella ha estado triste desde que murió su gato.
Ahora ella se está quedando en casa de su tío.
Ella aprendió a montar en bicicleta el año pasado.
Le reprendio por no cortar el cesped.
Ella extendió un mantel muy bonito sobre la mesa.
Ella viajó alrededor del mundo el año pasado.
Ella envidiaba el éxito de su primo.
Ella estaba cansada de tratar de convencerlo.
Las faldas cortas ya salieron de moda.
Entonces... ¿Tienes planes para esta noche, Tom?
Este chico habla como si fuera un adulto.
Esa es la razón por la que no apruebo tu plan.
El avión aterrizó en la granja de mi papá.
El oso está bastante domesticado y no muerde.
El puente fue arrastrado por la inundación.
El cáncer se había extendido a varios órganos.
La ciudad suministró alimento para los niños.
Los bomberos apagaron el fuego en cuestión de segundos.
El grupo estaba compuesto por cuatro jóvenes varones.
La isla estaba envuelta en una espesa niebla.
El león se puso a rugir cuando nos aproximamos.
Cuanto más comas, más gordo te pondrás.
El anciano ha vivido aquí toda su vida.
El piloto describió la escena en detalles.
El policía cogió al hombre por el brazo.
El problema es que no sabemos quién es Tom.
El zapato no me entra, es muy chico.
La historia se puso cada vez más interesante.
El teatro solía estar abierto hasta tarde.
El agua de esta fuente está muy fría.
Los trabajadores están de huelga por mejores sueldos.
Hay sobre 500 cabezas de ganado en el rancho.
Solo hay tres niñas en la clase.
Parece haber montones y montones de estrellas.
Hubo muchas tormentas de nieve el último invierno.
Ese proyecto no tiene ni pies ni cabeza.
A ellos no les interesa ahorrar dinero.
Viven al otro lado de la calle.
Ellos proveyeron a las víctimas de la guerra de alimentos.
Ellos no comenzarán la reunión sin nosotros.
Este libro es una buena guía para principiantes.
Este ejercicio es más simple de lo que pensaba.
Este es el hospital en donde nació Tom.
Éste es el paraguas que compré ayer.
Esta sala permite albergar a 300 personas.
Ayer se fugaron tres hombres de la cárcel.
A decir verdad, ella es mi novia.
Tom y Mary no se llevaban muy bien.
Tomás y María estaban sentados en el suelo.
Tom le pidió a María que lo llamara después de la cena.
Tom comió tres huevos y una tostada.
Tom vino hacia mí con un cuchillo en la mano.
Tom cambió de idea en el último minuto.
Tom viene de una pequeña villa en el norte.
Tom no podía creer lo que María le dijo.
Tom cruzó los dedos y pidió un deseo.
Tom no tenía nada de qué preocuparse.
No era la intención de Tom herir los sentimientos de Mary.
Tom murió hace dos años en un accidente de avión.
Tom no quiere volver a ver nunca a Mary.
Tom no conoce ninguno de los detalles aún.
Tom no se toma su trabajo muy en serio.
Tom no quiere que Mary haga lo que hizo él.
Tom animó a Mary a comprar un coche híbrido.
Tom tuvo la oportunidad de encontrarse con Mary en Boston.
Tom tiene una cita con María esta tarde.
Tom se ha dejado la barba por todo el verano.
Tom conoce a Mary de hace más de tres años.
Tom se hirió la pierna jugando fútbol.
Tom está aprendiendo a tocar la flauta.
Tom es el capitán del equipo de fútbol.
Tom es el niño menor en su familia.
Tom sabía que Mary estaba dando una fiesta.
Tom perdió los estribos y le gritó a Mary.
Tom debió haber oído lo que pasó.
Tom planea llamarte justo después del almuerzo.
Tom se leyó el libro entero en tres horas.
Tom dijo que no quería estudiar francés.
Tom dijo que habían entrado a robar en su casa.
Tom no debería haberle hablado a Mary de John.
Tom pasa todo su tiempo en el ordenador.
Tom habló con Mary por casi una hora.
Tom me dijo que haga lo que quiera.
Tom cogió uno de los libros de la estantería.
Tom suele irse a la cama antes de medianoche.
Tom quería ser como su hermano, Juan.
Tom quiere comprar un apartamento en Boston.
Tom era amigo tanto de Mary como de John.
Tom fue condenado a diez años de prisión.
Tom fue el último en irse la fiesta.
Tom probablemente va a estar toda la tarde aquí.
Tom escribió una carta a Mary esta mañana.
Los gustos musicales de Tom son parecidos a los míos.
Siempre pasamos nuestras vacaciones junto al mar.
Hemos estimado el daño en mil dólares.
Debemos seguir intentando hasta que tengamos éxito.
Deberíamos estar listos para lo que venga.
Nosotros solíamos dar una caminata antes del desayuno.
Nosotros empezaremos tan pronto como deje de llover.
Lo que Tom dijo te hizo sonreír, ¿no es así?
¿Qué pasa si le das de comer pasta a tu perro?
¿A qué hora has llegado esta mañana?
¿Qué te gustaría hacer en el futuro?
Cuando llegué ahí, la casa estaba en llamas.
¿Cuándo fue la última vez que ordeñaste a una vaca?
¿Cuándo te vas a comprar un notebook nuevo?
¿Con quién vas a pasar la Navidad?
¿Por qué decidiste llamar Tom a tu hijo?
¿Por qué no nos sentamos y lo hablamos?
¿Por qué has aplazado el ir al dentista?
¿Puede indicarme el camino hasta la estación?
¿Te gustaría venir a comer a nuestra casa?
Tú te debes quedar aquí hasta que nosotros volvamos.
No podés terminar nuestra relación de esta manera.
No puedes retirar lo que has dicho.
No tienes ni idea de cuán angustiada estaba.
Deberías estar sobre las 5 en punto en la estación.
No deberías confiar tanto en tu memoria.
Eres la única persona que conozco en Boston.
Tu nuevo vestido realmente se te ve bien.
—Tengo un marido muy dulce —dijo Mary.
Una pulga puede saltar doscientas veces su propio tamaño.
Un equipo de futbol consta de once jugadores.
Tras un corto periodo de paz, la guerra estalló otra vez.
Todo lo que quiero para Navidad es un tatuaje nuevo.
Todas las flores del jardín son amarillas.
Un viejo castillo se encuentra en la cima del acantilado.
¿Las cataratas del Niágara están lejos de tu pueblo?
¿Quieres decir que yo no tengo cerebro?
La verdad es que los precios están subiendo cada semana.
Buenos Aires es la capital de la Argentina.
¿Puedes nombrar todos los árboles en el jardín?
No cambiaré de idea pase lo que pase.
¿Tom dijo para qué necesitaba el dinero?
¿Hizo usted un contrato en forma con él?
¿Vas en autobús, en tren o en metro?
¿Tienes alguna idea de quién querría a Tom muerto?
¿Le importa si me voy por unos minutos?
No entres a mi habitación sin golpear.
No me tomes en serio. Sólo estoy bromeando.
Cada muchacha tiene una muñeca en el brazo.
Cada vez que lo veo, está en cama.
Todo lo que él dice me irrita.
Antes que nada, tienes que leer este libro.
Francamente hablando, yo no estoy de acuerdo contigo.
Ve a decirles adiós antes de que se vayan.
¿Ya te acostumbraste a vivir en Boston?
Compró un libro de inglés en una librería.
Él vino a Tokio en busca de empleo.
Él no le prestó atención a lo que ella dijo.
Él no ganaba más de diez dólares al día.
Se terminó de tomar la cerveza y ordenó otra.
Él tuvo un accidente y se fracturó la pierna.
Él ha sobrevivido a tres paros cardíacos.
Él es una persona franca con la que se puede hablar fácilmente.
Él es fuerte, valiente y, sobre todo, amable.
A él le gusta vestirse de policía.
Él traba amistad con todas las personas que conoce.
Él les ordenó liberar a los prisioneros.
Él me recordó que no olvidara mi pasaporte.
Él parecía disfrutar su vida y trabajo.
Él habla alemán, ni hablar del inglés.
Me dijo que quería dejar la compañía.
Él rechazó su solicitud de un día libre.
Él estaba desilusionado de no haber sido invitado.
No llevaba nada puesto excepto su ropa interior.
Él trabajaba duro para mantener a su familia.
Él se lleva bien con todos en la clase.
Su casa está rodeada por una valla blanca.
Su médico le dijo que no bebiera alcohol.
Su salud va mejorando de poco a poco.
Su traje era gris y su corbata, amarilla.
¿Por cuánto puede vivir una persona sin agua?
¿Con cuánta comida debería estar alimentando a mi perro?
Estoy de acuerdo con lo que dices hasta cierto punto.
Me alegra que lo haya recibido otro.
Estoy pensando en comprar una nueva sombrilla.
Yo le pregunté a mi madre si el desayuno estaba listo.
Compré un marco de cuero para el retrato.
Puedo reconocerlo por su forma de hablar.
No me puedo creer que nunca hayas oído hablar de nosotros.
No puedo recordar la melodía de esa canción.
Pillé un resfriado y estuve en cama ayer.
No esperaba que Tom estuviera en la reunión.
Esta mañana no tengo ganas de salir.
No sé si él está vivo o muerto.
No me gusta viajar con grupos grandes.
No creo que vaya a suceder hoy.
No quiero dimitir de mi trabajo de momento.
Finalmente le hallé un uso a este vejestorio.
Di un discurso ayer en la boda.
Adiviné bien en nueve de diez casos.
No había esperado demasiado antes de que apareciese.
No tengo ni idea de qué me estás hablando.
Honestamente, no pensé que Tom estaría aquí.
Al montar en el automóvil me hice daño en un pie.
Sé que está mal, pero lo haré de todas formas.
Sé que esperabas que Tom estuviera aquí.
Me agrada tu gata, pero a ella no le agrado.
Perdí el tren por sólo unos minutos.
A menudo busco palabras en ese diccionario.
Planeo ir en bibicleta por Shikoku el año que viene.
Yo me encontré con mi antiguo profesor en la estación.
Debería estar estudiando para el examen de mañana.
A veces traduzco letras de canciones para mi esposa.
Me detuve y esperé a que el auto pasara.
Creo que comenzaré con una botella de cerveza.
Pienso que es importante decir la verdad.
Creo que el tren llegará aquí pronto.
Pensé que Tom llegaría aquí antes que nosotros.
Pensé que ibas a esperar a Tom.
Te lo dije, pero no hiciste caso.
Quiero que Tom piense que es más listo que nosotros.
Quiero pasar más tiempo a solas contigo.
Quiero que te devuelvas a esa habitación.
Estaba a punto de irme cuando llamaste por teléfono.
Iba a salir cuando sonó el teléfono.
Estaba muy cansado, de manera que me fui temprano a la cama.
Vi el juego de principio a fin.
Terminaré de leer el libro en una semana.
Ojalá tuviera la oportunidad de aprender ruso.
Trabajé en Rio de Janeiro durante dos años.
Preferiría alimentar a mi perro antes de que comamos.
Estaré en problemas si la historia se filtra.
Le prestaré algunos libros de mi hermano.
Tom me da más miedo que Mary.
No estoy contento de cómo salieron las cosas.
Me estoy devanando los sesos para encontrar una solución.
Me sorprende que Tom no tenga una bicicleta.
Tengo exactamente 13 dólares en el bolsillo.
He visto estornudar a mi perro, pero nunca a mi gato.
Yo no hubiera hecho eso en su lugar.
Si llueve mañana, no vamos a ir allá.
En 1950, Corea del Norte invadió a Corea del Sur.
¿Es la cítara un instrumento difícil de aprender?
Ganar o perder no es la cuestión.
Parece que nos quedaremos aquí esta noche.
Se requieren muchas personas para construir un edificio.
Para él fue fácil resolver el problema.
Es una pena que él deba permanecer en cama enfermo.
Está en el primer piso de aquel edificio.
Akagawa Jiro ha escrito más de 480 novelas.
No desperdiciemos el poco tiempo que tenemos.
Hacé una oración con cada una de estas palabras.
Muchos soldados fueron heridos en la batalla.
El único número que tenía Tomás era el de María.
Mercurio es el planeta más próximo al sol.
La madre dividió la torta en tres partes.
Mi hermano tiene seis años menos que yo.
Mi amiga ha dicho que compró un reloj nuevo.
Un río separa mi casa de la suya.
Mi madre no está acostumbrada al trabajo duro.
Mi mujer gasta demasiado dinero en sí misma.
A fin de cuentas, nadie pudo resolver el problema.
Nadie tenía apuro de irse de la fiesta.
No todos los libros que hay en el escritorio son míos.
Una de las valijas está completamente vacía.
Nuestros invitados deberán estar aquí dentro de una hora.
La gente cree lo que quiere creer.
Por favor no me escribas cartas nunca más.
Hágame el favor de poner una jarra con agua en mi cuarto.
Poné la ensalada de tomate en la heladera.
Corre rápido, o llegarás tarde al colegio.
Al año siguiente ella se hizo actriz.
Ella le desprecia sólo porque es pobre.
Ella lo perdonó por perder todo su dinero.
Ella está resfriada y no viene al colegio.
Ella siempre olvida mi número de teléfono.
Ella es bastante bonita, pero se ve poco saludable.
Ella se sentó a su lado y escuchó en silencio.
Ella se quedó en el hotel varios días.
Ella le contó un chiste, pero él no se rio.
Ella quiere comprarle un regalo a su novio.
Ella se sintió triste por primera vez en varios meses.
No me quería dejar leer la carta.
¿Me debería ir o quieres que me quede?
Alguien rompió el candado y robó mi bicicleta.
A veces duele mucho saber la verdad.
España fue gobernada por un dictador hasta 1975.
Llévate un mapa en caso de que te pierdas.
Dile que estoy jugando con los niños.
Aquel barco naufragó en las costas de Chile.
Esa pobre familia sobrevive gracias a los cupones de comida.
El avión volaba por encima de las nubes.
La pelota rodó por el suelo en mi dirección.
El niño negó haber robado la bicicleta.
El ladrón encerró al niño en el armario.
El país es rico en recursos naturales.
La Tierra es pequeña comparada con el Sol.
La inundación le hizo mucho daño a las cosechas.
La chica de la que te hablé vive en Kioto.
El grupo trataba de resolver problemas sociales.
Encontraron la joya en un lugar inesperado.
El hombre condujo su automóvil a una velocidad uniforme.
Los miembros del comité son todos hombres.
La semana que viene abren los nuevos almacenes.
El hombre mayor no era tan pesado como aparentaba.
El planeta más cercano al sol es Mercurio.
La policía agarró al ladrón por el cuello.
El resto de nosotros comimos salmón ahumado.
La tienda está justo frente a la estación.
La estación de tren está en el centro de la ciudad.
La historia está basada en su propia experiencia.
La grabadora estaba puesta sobre la mesa.
La cima del Monte Fuji está cubierta de nieve.
Los trabajadores pidieron un incremento de sueldo.
Hay muchos árboles alrededor de la laguna.
Hay muchas estrellas mayores que nuestro sol.
No hay una razón para no hacerlo.
No había taxis, así que tuve que ir caminando a casa.
Existe la posibilidad de que no juegue el viernes.
Hay algo aquí que quiero que veas.
Ellos están ahora ya sea en Kyoto o en Osaka.
Ellos bromearon sobre algunas de sus películas.
Piensa en toda la diversión de la que te has estado perdiendo.
Esta es una película que todos deberían ver.
Este es el chico cuyo nombre es Tom Fisher.
Esta mañana me he levantado más temprano que de costumbre.
Esta tienda cierra a las nueve de la noche.
Para empeorar las cosas, su esposa se enfermó.
Tom se cepilla siempre los dientes después de comer.
Tom y Mary llevan ambos sombreros cafés.
Tanto Tom como Mary parecen incapaces de hacer eso.
Tom se armó con una pistola y un cuchillo.
Tom le preguntó a Mary si necesitaba un aventón a su casa.
Tom compró su entrada hace veinte minutos.
Tom puede contener su respiración por cinco minutos.
Tom no puede tocar muy bien el tin whistle.
Tom no pudo responder todas las preguntas.
Tom no podía ocultar sus sentimientos por Mary.
Tom dedicó su vida a ayudar a los pobres.
Tom no me ha dicho nada de eso.
Tom no tiene tiempo para hablar ahora.
Tom no sabe en dónde está Mary ahora mismo.
Tom no le quiere decir todo a María.
Tom vino por primera vez a Boston hace tres años.
Tom agarró un abrecartas de su escritorio.
Tom tiene un piano de cola en su salón.
Tom ha estado en Boston un montón de veces.
Tom tiene que tener cuidado con lo que come.
Tom es un canadiense que vive en Australia.
Tom tiene su Bar Mitsvah el próximo mes.
Tom es soltero y nunca ha estado casado.
Como a esta hora comúnmente Tom está borracho.
Tom sacó el taburete situado bajo Mary.
Tom dejó solos a Mary y John momentáneamente.
Tom a menudo olvida poner su direccional.
Tom se puso a si mismo y a sus hijos en peligro.
Tom se dio cuenta de que había perdido su billetera.
Tom dijo que vio a Mary montar en el coche de John.
Tomás dice que quiere ser enterrado aquí.
Tom no debería haberle contado sus secretos a Mary.
Tom aún no puede sacar a Mary de su cabeza.
Tom piensa que Mary le teme a las serpientes.
Tom organizó una fiesta sorpresa para el cumpleaños de María.
Tom le dijo al doctor que no sentía dolor.
Tom cumple los treinta tres días antes de Navidad.
Tom quería que dejara la puerta sin llave.
Tom fue declarado culpable y sentenciado a muerte.
Tom estaba viendo a algunas chicas en bikini.
Tom no fue capaz de contactarse con Mary por teléfono.
Tom fue a Boston a finales de octubre.
Tom no se irá si tú no quieres que se vaya.
La casa de Tom fue destruida por un huracán.
Ahora estamos más cerca de lo que jamás hemos estado.
No queremos que este se dañe, ¿o no?
Nos resultó difícil entrar en la discoteca.
Nosotros tenemos el derecho exclusivo de venderlos.
Tenemos que adaptarnos a la dura realidad actual.
Nos sentamos juntos en silencio por un rato.
Queremos alquilar un departamento en la ciudad.
El lunes que viene tendremos un examen de inglés.
Si el clima lo permite, vamos a hacer un picnic.
¿Qué es lo que más te gusta de tu trabajo?
Lo que no me mata me hace más fuerte.
¿A qué hora está programado que aterrice el avión?
¿Cuál es la montaña más grande del mundo?
Al abrir la puerta, rompí la cerradura.
Cuando la lluvia amaine, iremos a caminar.
¿Cuándo fue la última vez que tocaste violín?
¿Adónde piensas ir esta noche en tu cita?
¿Cuál te gusta más, la primavera o el otoño?
¿Quién crees que es más joven, Tom o Mary?
¿Por qué no llevas puesto tu anillo de boda?
¿Por qué él ya no almuerza conmigo?
¿Por qué va Mary con él al picnic?
Para muchas mujeres, el amor es lo primero.
¿Podría por favor no dejar la puerta abierta?
Tú podías contar hasta diez cuando tenías dos años.
Hubiera sido mejor que le preguntaras qué camino tomar.
Tienes poco que ganar y mucho que perder.
Sabes que haría lo que sea para ayudarte.
Debes estar cansado después de un viaje tan largo.
Me recuerdas a alguien que solía conocer.
Deberías ir a pasar el rato con tus amigos.
Tendrás que ir a Inglaterra el próximo año.
¡Debes coger el toro por los cuernos!
Una pelota de béisbol entró volando por la ventana.
Un buen propósito hace al trabajo duro placentero.
A todos los estudiantes se les olvidó leer ese libro.
Estados Unidos no es la nación más democrática.
¿Estás diciendo lo que creo que estás diciendo?
En cuanto me vio, ella empezó a llorar.
Por su culpa, vive una vida miserable.
El cáncer puede ser curado si es descubierto a tiempo.
La Navidad es un tiempo estupendo del año.
¿Me puedes indicar el camino a la parada de buses?
¿De verdad ocurrió ese accidente el año pasado?
¿Le advertiste a Tom acerca del perro del vecino?
No sueltes la cuerda hasta que te diga.
¿Conocés al hombre que te está mirando?
¿Te acuerdas del día en que nos conocimos?
¿Alguien sabe acaso el nombre del difunto?
No dejes que nadie espere en la sala de reuniones.
La población de Europa es menor que la de Asia.
Pocas personas viven hasta los cien años de edad.
Se estaba escapando gas de una grieta en el tubo.
¿Te dijeron dónde puedes estacionar tu coche?
¿Has leído el libro que Tom te compró?
Él se jacta de que puede hablar seis idiomas.
Él divisó un barco en la distancia.
Él no podía llevarse bien con sus vecinos.
Él no hace nada más que ver televisión todo el día.
Se cayó en el hielo y se rompió el brazo.
Él tiene un buen manejo en la lectura del francés.
Él me ayudó a superar las dificultades.
Precisamente él es el hombre que buscamos.
A él le gusta estar rodeado de jóvenes.
Organizó un boicot al servicio de autobús.
Él no decía nada que pudiera hacerla enfadar.
Él se quedó en el hotel por un par de días.
Contó sus historias de forma muy inusual.
Él solía levantarse temprano cuando era joven.
Él jugaba al fútbol con una lata de conservas vacía.
Él fue sometido a torturas por la Policía.
Él fue tan lejos como para llamarte hipócrita.
Es agente de una gran compañía de seguros.
Su médico le aconsejó que dejara de fumar.
Su abuelo murió de cáncer hace un año.
Su historia es extraña, pero es creíble.
¿Cómo te relajas tras un duro día de trabajo?
¿Cuántas veces al día alimentas a tu perro?
Siempre me pongo el cinturón cuando conduzco.
Te estoy muy agradecido por tu consejo.
Creo que tú sabes de que se trata todo esto.
No puedo creer que lo esté considerando.
No puedo cambiar lo que soy o lo que hice.
No puedo ver bien el escenario desde este asiento.
Yo mismo no podría haberlo dicho mejor.
Ni siquiera sé cuál es el apellido de Tom.
No conozco a nadie que sepa hablar francés.
Yo no sé si ella irá allí conmigo.
No me gusta comer ajo por la mañana.
No creo que Tom pueda hacer eso.
No creo que haya nada en la caja.
No quiero esperar hasta el último minuto.
Yo me ejercito porque quiero seguir saludable.
Encontré mi nombre escrito en la pizarra.
Me distraje y perdí la noción del tiempo.
Tuve que pedir prestado dinero para comprar el coche.
Me he comprado la misma cámara que tú.
Tengo tres veces más dinero que vosotros.
No tengo ni la menor idea de lo que hablas.
Espero que no tengamos que esperar mucho.
Salgo para el colegio a las ocho todas las mañanas.
Me gustan los sándwiches de carne, queso y tomate.
Puedo ser viejo, pero todavía puedo andar en bicicleta.
Necesito estar aquí por otras cuatro horas.
Solía escribirle a ella cuando era estudiante.
Yo apresuré el paso para poder seguirla.
Me niego a responder una pregunta tan estúpida.
Vi la película el año pasado en San Francisco.
Estudié su cara buscando signos de agotamiento.
Yo creo que Tom debe cobrar su dinero.
Creo que es hora de que llame a un médico.
Creo que deberían pensar en su futuro.
Creí que Tom se desilusionaría de mí.
Pensaba que ese libro era difícil de leer.
Pensé que habías dicho que solo eras un niño.
Pensé que ibas a dormir todo el día.
Yo jugaba al tenis con él los domingos.
Me despierto a las 6 y media de la mañana.
Quiero reservar un camarote de primera clase.
Estaba buscando un hotel cuando te vi.
No era la única que no conocía a Tom.
Mañana a esta hora estaré en Londres.
Me pregunto por qué no fue Tom al concierto.
Escribí la dirección equivocada en el sobre.
Quisiera volver a echarle un vistazo a esto.
Te voy a llamar apenas llegue a Chicago.
Tengo problemas con mi oído izquierdo otra vez.
No te voy a dar mi número de teléfono.
Estoy tan cansado que no puedo andar más.
Estoy seguro que Tom no quiere estudiar francés.
Tengo el presentimiento de que algo ha salido mal.
Yo nunca había visto algo así antes.
Si él no viene, ¿qué harás entonces?
Si me compras un helado, te doy un beso.
Si quieres venir con nosotros, ven con nosotros.
En mi opinión, Twitter es una pérdida de tiempo.
¿Es cierto que has escalado esta montaña?
Hace cinco años que vinieron a Japón.
Se dice que el tiempo sana todas las heridas.
Puede que llueva. Mejor llevemos un paraguas.
Suena a que has conversado con Tom.
Él fue quien ayer rompió la ventana.
Es trabajo sucio, pero alguien tiene que hacerlo.
Es sólo una de esas palabras que está de moda.
Conocer sólo una lengua no es suficiente.
Hace tanto calor afuera que podrías freír un huevo.
A ver las fotos que sacaste en París.
Enviémosle a Tom una tarjeta navideña este año.
Muchos soldados sufrieron terribles heridas en la lucha.
Mary le puso a su bebé el nombre de su abuela.
La mayoría de las películas de Hollywood tienen un final feliz.
Mi reloj despertador no sonó esta mañana.
Mi hija va a comprar muebles nuevos.
Mi padre me regaló un reloj para mi cumpleaños.
Mi padre va a jubilarse a los sesenta años.
Mi madre sigue trabajando en la cocina.
Nueva York es la ciudad más grande del mundo.
No importa lo que digas, lo haré a mi manera.
Hoy en día no se pueden comprar muchas cosas con un dólar.
Osaka es la segunda ciudad más grande de Japón.
Nuestro profesor va a ir a Estados Unidos el próximo mes.
Llámame entre las siete y las ocho, por favor.
Por favor, mueve esta piedra de aquí a allí.
Del dicho al hecho hay mucho trecho.
Ella puso su pañuelo en su herida.
Ella me animó cuando me sentía decaído.
Ella no se presentó en la fiesta ayer.
Ella siente un gran cariño por sus padres.
Parecía como si hubiese visto un fantasma.
Ella se mudó aquí desde México hace cinco años.
Ella sugirió que le escribiera de inmediato.
Se le pidió que no hablara en la reunión.
Ella era muy guapa cuando era joven.
Ella exprimió el jugo de un montón de naranjas.
Algunas de las manzanas de la caja estaban podridas.
Alguien como tú no sería capaz de hacer eso.
Hablar inglés es muy difícil para mí.
Tómate esta medicina si no te sientes bien.
Muchas gracias de antemano por vuestra colaboración.
Aquella es una tienda nueva que abrieron la semana pasada.
Eso me recuerda algo que necesito hacer.
El Rin fluye entre Francia y Alemania.
El banco tiene una hipoteca sobre su edificio.
Los conductores de autobús van a hacer huelga hoy.
El niño estaba durmiendo en el regazo de su madre.
La compañía está al borde de la bancarrota.
El médico me dijo que debería comer menos.
El marco del edificio está ahora completo.
La muchacha llevaba una larga bufanda alrededor de su cuello.
El jurado había dictado un veredicto de culpa.
De repente el hombre comenzó a disparar con su arma.
La madre yacía al lado de su bebé en la cama.
Todavía no se conoce el número de víctimas.
El lugar en donde vive queda lejos de la ciudad.
El policía le quitó el cuchillo al niño.
Los manifestantes arrojaron piedras a la policía.
La cosa más aterradora en la vida es la incertidumbre.
El supermercado no tenía lo que yo quería.
El tren llegó con diez minutos de retraso.
Hoy el clima está peor que ayer.
En los trópicos hay sólo dos estaciones.
Queda un poco de leche en la botella.
Hay algo acerca de él que no me agrada.
Hay más de 100 personas en la habitación.
Hay algo moviéndose en la habitación contigua.
No pudieron nadar porque hizo mal tiempo.
Le robaron al hombre todas sus pertenencias.
Resultaron gravemente heridos en un accidente automovilístico.
Esta caja es lo suficientemente liviana para que él la lleve.
Ésta es una canción que aprendí cuando era pequeño.
Esta es la revista de la que te había hablado.
Este es justo el libro que quiero leer.
Esta palabra tiene el acento en la última sílaba.
Tom abandonó su plan de construir una fábrica.
Tom y Mary fueron a la misma escuela.
Tom y Mary se casaron en Nochebuena.
Tom y María estaban sentados cuando entramos.
Tom cree que María es su mejor amiga.
Tom vino a mi oficina a pedirme dinero.
Tom pilló a María escabulléndose de la casa.
Tom la convenció a Mary de que John era inocente.
Tom contó hasta diez, y entonces gritó a Mary.
Tom se marchó, dejando a Mary y John solos.
Tom no tuvo tiempo para acabar el informe.
Tom no sabía de dónde venía el dinero.
Tom no sacó muchas fotos en su viaje.
Tom no quiso saber nada de mis problemas.
Tom sabe lo que está haciendo, ¿verdad?
Tom no sabe si Mary está viva o muerta.
A Tom no le gusta estar endeudado con nadie.
Tom no comprende el valor del dinero.
Tom siente que su equipo ganará el juego.
Tom se terminó su café y se fue a trabajar.
A Tom se le rompió el cuello en un accidente de esquí.
Tom tenía una decisión muy importante que tomar.
Tom ya me ha explicado las reglas.
Tom estuvo leyendo un libro toda la tarde.
Tom no ha hecho nada de lo que deba avergonzarse.
Tom va a poder venir a nuestra fiesta mañana.
Tom está almorzando con el jefe de policía.
Tom es el que me mostró como hacerlo.
Tom sabe que a Mary no le gustan los huevos crudos.
A Tom no solo le gusta Mary sino también Alice.
Tom encontró a un amigo de Mary en el aeropuerto.
Tom nunca le dijo a Mary cuánto la amaba.
Tom se sirvió una segunda taza de café.
Tom dijo que quería mudarse a Boston.
Tom debería estar aquí dentro de quince minutos.
Tom se mete en lo que no le concierne.
Tom le dijo a Mary que estaba siendo infantil.
Tom sacó la billetera y pagó la cuenta.
Tom quería salir del auto y caminar.
Tom fue un prisionero de guerra durante tres años.
Tom fue el último en ver a María viva.
Tom se preguntaba qué planeaba hacer Mary.
Tom está ocultando algo y Mary lo sabe.
El nuevo coche de Toyota luce una etiqueta de considerable precio.
Estamos comprometidos con el bienestar del país.
No pudimos salir a causa del tifón.
Tuvimos que hacer a pie todo el camino a la estación.
Tenemos que hacer algunas alteraciones en nuestros planes.
Aplazamos el partido de béisbol por dos días.
No somos tan tontos como pensabas, ¿o no?
¿Cuál es la altura media de los jugadores?
¿Qué tipo de canciones son populares estos días?
¿Qué debo hacer en una situación como esta?
¿Qué estaremos haciendo a esta hora la próxima semana?
¿Cuál es tu frase favorita de esa película?
Cuando le veo, pienso en mi abuelo.
No hay mal que por bien no venga.
¿Cuándo fue la última vez que lavaste los platos?
¿Cuándo fue la última vez que arrendaste una casa?
Cuando haces ejercicio, tu corazón late más rápido.
¿Por qué actúas como si no me conocieras?
¿Por qué no le quieres contar lo de ella?
¿Por qué no cenas conmigo esta noche?
¿No le molesta si enciendo la radio?
Ganar no es lo único que importa.
¿Te importaría llevar esta carta al correo por mí?
Puedes comer y beber tanto como quieras.
Ya no tienes que preocuparte por Tom.
Tiene que hacer el doblez bien derecho.
Debes adaptarte a una variedad de condiciones.
Me has pegado un susto de muerte.
Aún no me has dicho por qué estás aquí.
Lo harás por las malas o por las buenas.
Vas a aprender a hacerlo tarde o temprano.
Tu cámara es sólo la mitad de grande que la mía.
"Yo no soy bueno nadando." "Ni yo."
Un zorro nunca es capturado dos veces con el mismo cepo.
Un monstruo gigante viene bajando la montaña.
Se impuso un impuesto especial a los coches importados.
Alain puso toda su atención en su gato.
A la exhibición vino todo tipo de personas.
América fue descubierta por Colón en 1492.
En mi caso, prefiero el pollo al cerdo.
Como estaba cansado, se fue pronto a la cama.
Para cuando vuelvas, ella ya se habrá ido.
Cristóbal Colón demostró que el mundo no es plano.
¿Te gustó la película que viste anoche?
¿Crees tú en la vida eterna tras la muerte?
¿Sabes de algún buen restaurante cerca de aquí?
¿Sabes cuál de esos tipos es Tom?
¿Quieres una boda reducida o una grande?
No conduzcas bajo la influencia del alcohol.
Nunca más me hables de esa manera.
Cada policía en Boston está buscando a Tom.
Todo el mundo tiene el derecho a decir lo que piensa.
El temor entró sigilosamente en mi corazón y se instaló allí.
Para más información, póngase en contacto con nosotros.
Debe evitarse la dureza en esos casos.
Él le pidió que se casara con él pero ella se ha negado.
Él no es capaz de abrir la boca delante de su padre.
Él no pudo abandonar a su amigo en dificultades.
Él ni siquiera sabe como firmar con su nombre.
Está absorto en la lectura de novelas de detectives.
Él no está avergonzado de que su padre sea pobre.
Él es más rico que cualquiera en esta ciudad.
Él es lo que se llama un campeón de la justicia.
Él nunca falla en venir a verme todos los días.
Suele caminar con la mano en el bolsillo.
Él se acostumbró enseguida al clima frío.
Él tradujo una novela japonesa al francés.
Él se vio abrumado por una sensación de melancolía.
Él fue el único muchacho que resolvió la tarea.
Él sería la última persona en romper su palabra.
Es muy ceremonioso cuando le presentan una persona desconocida.
Su decisión de jubilarse nos sorprendió a todos.
Su nombre es conocido por todos en esta ciudad.
¿Cómo sabías que a Tom no le gusta María?
¿Cuántas veces al día debe uno alimentar a un perro?
Siempre uso botas cuando llueve o nieva.
Asumo que te refieres al problema de Tom.
Puedo prestarte algo de dinero si necesitas.
No puedo oír nada a causa del ruido.
Atrapé a mi hijo robando del tarro de galletas.
No pude encontrar la página que buscaba.
No te recrimino que pospusieras nuestro viaje.
No sé lo que te va a pasar.
No me gusta cocinar cuando hace demasiado calor fuera.
No creo que florezcan tan pronto los rosales.
No quiero estar aquí cuando Tom llegue.
Dudo que Tom haya terminado los deberes.
Supongo que no puedo culparte después de lo de anoche.
Tengo un hermano con la misma edad que tú.
Tengo un hermano mayor que vive en Kioto.
Más de un amigo mío no sabe nadar.
Tengo el mismo diccionario que tu hermano.
Espero que él triunfe en su nuevo puesto.
Espero que me prestes más atención la próxima vez.
Solo quiero oírte cantar una vez más.
Me gustan los animales, por ejemplo, los gatos y perros.
Me gustó la tercera canción que cantaste anoche.
Es posible que pueda encajar eso en mi calendario.
Me di cuenta de que ella llevaba gafas nuevas.
Yo pasé por tu casa cerca de las 10 anoche.
Vi una nube blanca flotar a través del cielo.
Me pasé todo el día leyendo la novela.
Creo que es mejor no echarle una mano.
Creo que ambos sabemos de quién es en realidad la culpa.
Pensé que Tom querría ver esta película.
Pensé que habías dicho que no hablabas francés.
Esperé durante una hora, pero él no apareció.
Quiero que todos me ayuden a limpiar la casa.
Quiero pasar algo de tiempo con mi hija.
Estuve en el hospital hace unos días.
Este verano fui a Hokkaido en bicicleta.
Me pregunto por qué Tom no apareció anoche.
Querría hacer una reserva para esta noche.
Me encantaría salir contigo este fin de semana.
Yo te haré enterar en cuanto sea decidido.
Me encargaré de que nunca vuelva a suceder.
Voy a colocar dinero en este negocio.
No estoy acostumbrado a conducir un camión tan grande.
Lo siento Tom. Me temo que no puedo hacer eso.
Estoy demasiado cansado para volver a casa en bicicleta.
Estoy viviendo con mi tío hace un mes.
La conozco de algo, pero no la sitúo.
Si yo fuera tú no lo haría.
Si no estuviera lloviendo, iría a pescar.
Si oprimes el botón, la puerta se abrirá.
En Japón, el nuevo curso escolar comienza en abril.
¿No hay nada que podamos hacer para ayudar a Tom?
Resultó que estábamos en el mismo tren.
Es aún un misterio el quién escribió la carta.
Parece obvio que él es incapaz de nadar.
Me tomó tres horas escribir la carta.
Fue una de las causas célebres de su época.
Hoy no hace tanto frío como ayer.
Es inusual que me inviten a fiestas.
Japón había derrotado a Rusia en una guerra en 1905.
Mi madre pilló la gripe la semana pasada.
Vivir en una gran ciudad tiene muchas ventajas.
Asegúrese de decirle a Tom a qué horas debe estar aquí.
María le pidió a Tom que fuera a la ópera con ella.
Matemáticas e inglés eran mis ramos favoritos.
Más del 20% de la población tiene automóvil.
Mi madre decía a menudo que ella estaba orgullosa de mí.
Mi sueño es hacer un viaje alrededor del mundo.
Mi padre tiene una pequeña tienda en Fukuoka.
Mi abuelo murió poco después de mi nacimiento.
Mi mamá puso la torta en el refrigerador.
Mis padres me han echado de casa.
Nunca había visto un cuadro tan hermoso.
Ningún hombre entre ellos pudo levantar el peso.
Una hora más y el pavo estará listo.
Nuestra salud es nuestra más preciada posesión.
Más del 95% de la atmósfera de Titán está compuesta de nitrógeno.
La gente de tu edad a menudo tiene este problema.
Por favor, coloca el recogedor en el armario de las escobas.
Respétate a ti mismo y serás respetado.
La ciencia no resolverá todos nuestros problemas.
Ella estuvo a punto de caerse de la plataforma.
Ella no quería que mimara a los niños.
Ella le dio el dinero que le debía.
Se quedó despierta por horas pensando en él.
Ella dejó claro que él no le gustaba.
Ella piensa en todo en términos de dinero.
Ella era buena para las matemáticas en la enseñanza media.
Ella estaba parada en el medio de la habitación.
Algunos alumnos vienen a la escuela en auto.
Algo debe estar mal con la maquinaria.
Es probable que un accidente así ocurra de nuevo.
Gracias a Dios que nadie salió lastimado en este accidente.
Este niño quiere amigos con los que jugar.
Ese sastre usa siempre muy buenos géneros.
El señor y la señora Murai llevan diez años casados.
El bebé casi se atraganta con un caramelo.
El tamaño de las cajas va desde pequeñas a grandes.
La iglesia fue construida hace cientos de años.
El perro estuvo ladrando toda la noche.
El escape fue poco menos que un milagro.
La helada hizo mucho daño a los cultivos.
La chica nadando en la piscina es mi prima.
Los habitantes de la isla son amigables.
A la niña pequeña no le gusta usar zapatos.
La reunión empezó a las cinco de la tarde.
Mientras más pienso en ello, menos me gusta.
El anciano estaba sentado, rodeado por los niños.
La pintura es la obra de un maestro holandés.
El avión despegó a las nueve en punto.
El policía arrestó al hombre en el acto.
El profeta Muhammad murió en Medina en el 632.
El resultado estaba lejos de ser satisfactorio.
El lateral de la casa fue cubierto con hiedra.
El equipo estaba bastante nervioso antes del partido.
El ladrón huyó cuando vio un policía.
La boda es en menos de tres meses.
Hay huellas de gato encima de la mesa.
Hay un niño pequeño caminando con su perro.
No hay nada como el verano y helados.
Había tres mujeres paradas en el bar.
Hay una larga cola en todas las cajas registradoras.
Ellos admiraban la vista panorámica desde la colina.
Ellos fueron culpados, pero no fue su culpa.
Ellos lo hicieron trabajar desde la mañana hasta la noche.
Las cosas usualmente toman más tiempo de lo que esperas.
Esta ciudad es famosa por su bello parque.
Ésta es nuestra primera Navidad aquí en Boston.
Esta es la cosa más extraña que jamás haya hecho.
Esta vez no vas a eludir tu castigo.
A decir verdad, ella en realidad no me gusta.
Tokio tiene una población de más de diez millones.
Tom y Mary volarán mañana a Boston.
Tom y Mary se miraron a los ojos.
Tom se disculpó por el comportamiento grosero de su hijo.
Tom le preguntó a Mary si conocía su nueva dirección.
Tom se quemó los dedos con una sartén caliente.
Tom no puede recordar dónde puso su billetera.
Tom alegó que mató a Mary en defensa propia.
Tom no pudo sobornar a Mary. Sin embargo, lo intentó.
Tom no se compró un coche nuevo ayer, ¿verdad?
Tom no sabía que el puente estaba cerrado.
Los domingos, Tom no hace nada más que leer libros.
Tom no tiene confianza en sí mismo.
A Tom en realidad no le gusta tanto Mary.
Tom no come más que frutas y verduras.
Tom va a estudiar la Biblia los domingos a la mañana.
Tom no tuvo una oportunidad de darle su opinión a Mary.
Tom ha sido arrestado el menos tres veces.
Tom tiene lo que se necesita para ser un buen profesor.
Tom heredó todas las características de su padre.
Tom espera que alguien más venga pronto.
Tom es muy bueno tocando piano de oído.
Tom es tres años más pequeño que tú, ¿verdad?
Tom se fue de la casa un poco después de que Mary se fuera.
Tom miró al hombre que acababa de entrar.
Tom puede usar mi cámara de vídeo si quiere.
Tom gastó solo tres dólares para almorzar.
Tom cogió una piedra y se la arrojó a María.
Tom se puso los lentes y abrió el libro.
Tom dijo que sabía donde se había enterrado el cuerpo.
Tom comparte un apartamento con tres amigos.
Tom sonó un poco raro esta tarde.
Tom convenció a Mary de comprar un computador nuevo.
Tom me contó que necesitaba algo de tiempo para sí.
Tom trató de enseñarle a Mary a jugar bridge.
Tom quería hablar con Mary sobre algo.
Tom era casado, pero no usaba anillo.
Tom no pudo hacer lo que quería.
Tom se preguntaba si María iba a besarlo.
Tom, ¿nos dejarías solos por un momento?
El agua cubre la mayor parte de la superficie de la tierra.
Podemos construir una pared con ladrillos y cemento.
Ni siquiera sabemos para qué estamos luchando.
Tenemos un ascensor y un baño privado.
Tenemos que juntarnos a beber alguna vez.
Nos quedamos en casa porque hacía mucho frío.
Fuimos a la cafetería que te conté.
Lo haremos más tarde, cuando no estemos tan ocupados.
Nos quedamos sin papel para la fotocopiadora.
¿Exactamente qué es lo que quieren que diga?
Lo que ellos hacen es arruinar la economía.
¿Cuál es la mejor forma de quitarse una resaca?
Cuando se entere mi mujer, no se pondrá contenta.
¿Cuándo fue la última vez que tomaste el metro?
¿Adónde vas a ir en tus vacaciones?
¿Por qué no puedes aceptar las cosas como son?
¿Por qué no le contás a Tom como realmente te sentís?
Sin el mapa, él se habría perdido.
Puedes tomar un paraguas si necesitas uno.
No lo puedes arreglar, deberías comprar uno nuevo.
Hace falta agregar más detalles al informe.
Debes dejar de provocar peleas con Tom.
Nunca comprenderás por lo que he atravesado.
Tus problemas no son nada comparados con los míos.
Unos vasos de vino pueden soltar la lengua.
El cuerpo del hombre es mortal, pero su alma es inmortal.
Una pelota de goma rebota porque es elástica.
La adolescencia es usualmente un periodo de inseguridad.
Todos los delegados sabían que debían debatirlo.
¿Vas a asistir a la reunión de esta noche?
¿Estás seguro de no haber olvidado nada?
En cuanto me desperté, volvió el dolor de cabeza.
Acampar tan cerca del río no es buena idea.
La falta de atención puede conducir a un serio accidente.
¿Sabías que los hombres pueden tener cáncer de mama?
Haz este trabajo para mañana si entra dentro de lo posible.
¿Conoces a alguien que tataree mientras trabaja?
¿Te acuerdas de la noche en que nos conocimos?
No cuentes tus polluelos hasta que hayan nacido.
No trates de hacer dos cosas al mismo tiempo.
Incluso el hombre más fuerte no puede parar un tifón.
Poca gente alcanza a vivir para los cien años de edad.
Los abetos se utilizan a menudo como árboles de Navidad.
De aquí en adelante tendremos que gastar menos.
Dame tu dinero o te daré una paliza.
¿Alguna vez has visitado la Estatua de la Libertad?
Él me pidió permiso para utilizar el teléfono.
Él comparó la imitación con el original.
Me regaló media docena de pañuelos de hilo.
Él tiene un hombro fuerte para que te apoyes.
Él tiene muy poco interés en sus niños.
Siempre está hablando mal de los otros.
Conoce la zona como la palma de su mano.
Él se decidió a mantener su plan en secreto.
Dijo que se había dejado la cartera en casa.
Intentó con todas sus fuerzas levantar la caja.
Él estaba almorzando cuando entré a la habitación.
Él no tiene ninguna oportunidad de ganarse su corazón.
Ayúdame a elegir una corbata que combine con este traje.
Su abuelo de 81 años está orgulloso de él.
Su salario es muy bajo como para mantener a su familia.
¿Qué diferencia tiene eso de lo que acabo de decir?
¿Cuánto cuesta el coche que tienes previsto comprar?
Siempre sentí que ella estaba ocultando algo.
Estoy cuidando el jardín estos días sólo para matar el tiempo.
Te estoy muy agradecido por tu ayuda.
Asumo que oíste acerca del ascenso de Tom.
Comencé a estudiar francés a los trece.
No me puedo creer que vayas a la fiesta de Tom.
Yo no puedo entender qué es lo que él está tratando de decir.
Le pedí que pagara la cuenta inmediatamente.
Él no me agradaba mucho, de hecho, lo odiaba.
No sé cómo lo hiciste, pero lo hiciste.
No sé cuándo, pero algún día pasará.
No creo que vaya a necesitar nada más.
Entré en la habitación y le di la mano.
Me sentía gracioso, como si todavía siguiera soñando.
Le regalé claveles a mi madre para el día de la madre.
Conseguí un pase de temporada para todos los partidos en casa.
Tengo mucho dinero en mi cuenta de ahorro.
No tengo problemas para comprender tu francés.
No he comido desde el desayuno, tengo hambre.
Yo solo quiero una respuesta explícita, nada más.
Conozco muy bien al presidente del club.
Vivo cerca de su casa, pero raramente la veo.
Adoro cuando las cosas comienzan a caer en su lugar.
Nunca me imaginé volviéndome a casa tan temprano.
Yo jugaba fútbol y mi hermana jugaba tenis.
Vi a los dos juntos en varias ocasiones.
Por razones de salud he dejado de fumar.
Creo que Tom estaba intentando decirnos algo.
Creo que es hora de que regrese al trabajo.
Pienso que mirar TV es una pérdida de tiempo.
Pensé que iba a tratar de comer comida mejicana hoy.
Cogí el taxi para ir de la estación al hotel.
Acostumbraba a nadar todos los días cuando era pequeño.
Quiero pasar el fin de semana completo en Boston.
Yo estuve ausente en el colegio por una enfermedad.
No era consciente de que alguien me estaba vigilando.
Fui a ver una película con Tom después de clases.
Ojalá pudiera averiguar como grabar un DVD.
Quiero reservar una mesa para cuatro a las seis.
Recogeré las fotografías a las seis en punto.
Daltónico que soy, no distingo al rojo del verde.
Me voy a responder a la llamada de la naturaleza.
Yo no soy el novio de Mary. Solo soy un amigo.
Mañana me voy a comprar un celular.
Lo siento, pero no puedo recordar su nombre.
Estoy seguro de que todo saldrá bien.
Siempre disfruto jugando al tenis con Tom.
Si Tom termina con María, lo va a lamentar.
Si la comida esta fría, ponela en el microondas.
En cada colmena sólo puede haber una reina.
Es una lástima que no puedas viajar con nosotros.
Es fácil ser valiente a una distancia segura.
No es claro cuándo y dónde nació ella.
En esta parte del país casi no nieva.
Fue un año seco, y muchos animales murieron de hambre.
Está bien que te complazcas, simplemente no te excedas.
Hace mucho tiempo que no llevo corbata.
Se está haciendo tarde, así que es mejor que nos vayamos.
No llueve fuerte. Es solo una llovizna.
Se está tan caliente en esta habitación que estoy sudando.
Japón importa una gran cantidad de petróleo.
El verano pasado trabajé a medio tiempo en la granja.
Suelta los tornillos y quita la cubierta de la lámpara.
Mary le tejió un suéter a Tom para su cumpleaños.
Mi hermano murió en un accidente de tránsito.
Mi padre no ha estado nunca enfermo.
Mi papá normalmente va en bus a su oficina.
Mis inversiones rinden alrededor del 10 por ciento anual.
Mi hermana cantó una canción en inglés en la fiesta.
Los recursos naturales no abundan en Japón.
No importa quién lo diga, no puedo creer eso.
Como no me encontraba bien, me quedé en casa ese día.
Se ha descubierto petróleo bajo el fondo del Mar del Norte.
Nuestras vidas están determinadas por nuestro medio ambiente.
Pavlov tocaba una campana cada vez que alimentaba a sus perros.
Por favor cancele mi pedido y devuélvame el dinero.
Leer un libro puede compararse con un viaje.
Le aconsejó que se debería quedar en casa.
Ella sostiene que no sabe nada acerca de él.
Ella lo conoció en una conferencia en Boston.
Ella está tejiendo un suéter para su novio.
Ella le obliga a hacer los deberes antes de cenar.
Ella se esguinzó las dos muñecas en la caída.
Ella pensaba que él estaba desperdiciando electricidad.
Ella quiere casar a su hija con un doctor.
Ella estaba ansiosa a causa de la salud de su hijo.
Ella le idolatra a él y a la tierra que pisa.
No había taxis, así que tuve que ir caminando a casa.
Algunas fotos se imprimieron en blanco y negro.
Los estudiantes se levantan cuando entra su profesor.
El niño se sentía seguro en los brazos de su madre.
En ese cine siempre dan buenas películas.
La dominación alemana no duró mucho tiempo.
Sonó la alarma y todos debieron evacuar.
El banco necesita un cheque por la cantidad exacta.
El chico depende totalmente de sus padres.
Para cuando llegué a casa ya se habían terminado la tarta.
El comité se compone de 15 miembros.
El doctor me recomendó hacer más ejercicio.
El bombero no podía apagar las llamas.
La chica suplicó a su madre que la acompañara.
El gobierno impuso un nuevo impuesto a los granjeros.
El pavo real macho tiene coloridas plumas en la cola.
La película no era tan interesante como el libro.
Es indescriptible el dolor de perder un hijo.
El policía evitó que el niño se ahogase.
La radio está demasiado alta. Baja el volumen.
El año escolar empieza el 10 de abril.
La telaraña brillaba con el rocío de la mañana.
Los estudiantes nos pidieron ayuda para empujar el automóvil.
Las raíces del árbol se extendieron profundo dentro de la tierra.
Las dos calles van paralelas la una con la otra.
Hay árboles a ambos lados del río.
Hay un pequeño perro marrón bajo esa mesa.
No hay nada más importante que la amistad.
Había bastantes manzanas podridas en la canasta.
Está la posibilidad de que Tom llegue tarde.
Estas cartas pueden ser escritas por cualquiera secretaria.
Sin tener mucho dinero, se las apañan para ir viviendo.
Ellos lo llevaron al hospital por su fiebre.
Estaban demasiado cerca de la puerta para cerrarla.
Este libro es mucho más útil que ese.
Esta flor es más linda que aquella.
Este es el gato más grande que he visto jamás.
Este tipo de cosas no ocurre muy a menudo.
Esta pintura de Rembrandt es una obra maestra.
Esos son los niños a los que les diste el libro.
Para perder peso tenés que comer menos dulces.
Tom abandonó la esperanza de convertirse en un actor.
Tom y Mary siempre están discutiendo por dinero.
Tom y Mary tienen una hija y dos hijos.
Tom y Mary hablaron sobre lo que había pasado.
Tom le pidió a Mary que llevara a John al aeropuerto.
Tom me preguntó si ya había pagado la cuenta.
Tom se interesó profundamente en la historia del arte.
Tom no puede tener hambre, acaba de cenar.
Tom felicitó a Mary por su prueba de conducir.
Tom no entendía lo que significaba el signo.
Tom no corrió lo suficientemente rápido para alcanzar el bus.
Tom no sabe nada acerca del plan de Mary.
A Tom no le gusta ser tratado como un niño.
Tom no habla francés y yo tampoco.
Tom no quiere admitir que estaba equivocado.
Tom terminó de leer ese libro en una noche.
Tom se encabronó cuando encontró con llave a la puerta.
Tom tiene una brillante carrera como doctor.
Tom tiene algo que discutir con todos nosotros.
Tom es un mentiroso si dice que nos vio juntos.
Tom será castigado por lo que hizo.
Tom está deseando volver a ver a Mary.
Tom está plantando una palmera en su patio.
Es solo que Tom no entiende lo que está pasando.
Tom sabe que Mary no sabe la respuesta.
Tom hizo una lista de los lugares que quiere visitar.
Tom ofreció patatas fritas a Mary y John.
Tom prometió ayudar a Mary con su tarea.
Tom retiró la astilla del dedo de María.
Tom vio algunos peces muertos flotando en el lago.
Tom se detuvo para echarle una mirada de cerca al auto.
Tom piensa que quizá María tenga un desorden alimenticio.
Tom pensó que iba a disfrutar de la fiesta.
Tom me dijo que te gusta la comida picante.
Tom sacó la manteca de la heladera.
Tom esperó lo que le parecía una eternidad.
Tom quería saber con quién había estado saliendo Mary.
Tom fue gravemente herido en un accidente de tráfico.
Tom se molestó cuando vio a Mary besar a John.
Tom no va a poder entender nada de esto.
Los semáforos se usan para regular el tráfico.
Espera un momento, quiero decirte una cosa.
Con el telescopio se pueden ver objetos lejanos.
Nos sentimos felices cuando la evaluación terminó.
Tenemos que visitarle mañana de todas formas.
Deberíamos pensar siempre en el interés común.
El otro día nos fuimos juntos a cazar osos.
Tendremos un examen de inglés esta tarde.
¡Qué tonto soy al pensar que ella me ama!
¿Qué quieres que le diga a Tom si llama?
¿A qué hora te bañas en la mañana?
¿Qué es lo más picante que has comido nunca?
Cuando estoy resfriado no puedo saborear nada.
¿Cuándo fue la última vez que te peinaste el pelo?
¿Dónde puedo descargar películas de acción gratis?
¿Qué prefieres, el vino blanco o el tinto?
¿Quién fue la que compró ayer esta falda?
¿Por qué te tuvo que esperar por tanto rato?
¿Por qué tu madre siempre anda con gafas de sol?
La sabiduría no viene automáticamente con los años.
¿Me darías la receta de tu ensalada?
Se pueden ver algunos conejos salvajes en el bosque.
No tenés que quedarte si no querés.
Todavía no te has lavado las manos, ¿verdad?
Deberías liberar a esos animales de la jaula.
Acá no vas a encontrar lo que estás buscando.
Estás enfadado y tienes todo el derecho.
Tu deseo se hará realidad en el futuro próximo.
"¿Me podrías pasar el azúcar?" "Aquí tienes."
Una multitud de personas se reunieron para ver el desfile.
Lanzaron un satélite en Rusia el año pasado.
Después de abofetear a Tom, Mary se fue corriendo de la habitación.
Los estudiantes americanos se están quedando atrasados en matemáticas.
Por lo general, vale la pena jugar el juego de la vida.
Puedes quedarte aquí siempre que te quedes callado.
Él no pudo venir debido al mal tiempo.
La tarifa del bus ha sido la misma por dos años.
¿Puedes recordar la primera vez que nos vimos?
¿No dijo Tom que tenía algo que decirle a Mary?
¿Escuchas diariamente la radio en tu casa?
¿Quieres que te ayude a limpiar tu garaje?
¿Quieres saber lo que creo que está pasando?
No vengas a por mí, no hace falta.
No hables de negocios mientras estamos comiendo.
Los esquimales tienen 90 palabras diferentes para la nieve.
Cualquiera puede ver que él está enamorado de ella.
Pocas cosas nos hacen disfrutar tanto como la música.
Estoy de acuerdo con la mayor parte de lo que él dijo.
¿Han hecho ya pública la decisión del tribunal?
¿Alguna vez has intentado no ser grosero con la gente?
Le preguntó a su mujer si venía con él.
Él se suicidó saltando de un puente.
Exploró la región alrededor del Polo Sur.
Tiene una buena colección de cuadros modernos.
Se acostó de espaldas y alzó su mirada al cielo.
Él a menudo falta a clases los lunes y los sábados.
Empujó al auto en pana con toda su fuerza.
Lo intentó una y otra vez, pero no lo consiguió.
Él fue apartado del equipo por consumir drogas.
Ha salido al aeropuerto a despedir a un amigo.
Él quisiera saber si juegas al ajedrez.
Su casa queda a algunos kilómetros de aquí.
La historia de él es mucho más interesante que la de ella.
¿Cómo se comunican los bebés con sus padres?
¿Cuántas calorías hay en 100 gramos de mantequilla?
Siempre supe que eso algún día pasaría.
Me quedaré aquí un par de días.
Estoy cansado de la rutina de cada día.
Compré cortinas de encaje para la ventana de mi dormitorio.
No puedo descubrir cómo resolver este problema.
¡No puedo soportar estar encerrado en esta prisión!
No esperaba que Mary viniera tan pronto.
Yo no le doy ni nunca le daré de comer pescado crudo a mi perro.
No sé quién está al frente del negocio.
No entiendo del todo lo que estás diciendo.
No creo que salgan estas manchas de tinta.
No quiero que me trates de manera diferente.
Encontré el libro en esa librería por casualidad.
Tuve un montón de tiempo para hablar con muchos amigos.
No he comido nada en los últimos tres días.
Tengo varios amigos que hablan bien francés.
Escuché que Tom se casó con una mujer rica.
Guardo todos mis cuentas telefónicas en esta caja.
Dejé abierta la ventana toda la noche.
Me perdí el final de la película por tu culpa.
Nunca soñé que ganaría el primer premio.
Lo persuadí de que le examinara el doctor.
Yo sinceramente no quiero ir a Boston con Tom.
Vi muchos pájaros volando en dirección al sur.
Estudié inglés por dos horas después de la cena.
Doy por sentado que la gente es honesta.
Creo que es hora de disculparme con ella.
Creo que es hora de que limpie la cochera.
Creo que es hora de que pierda algo de peso.
Creo que arreglarán la radio esta tarde.
Pensé que Tom le haría unas pocas preguntas a María.
Pensé que no ibas a hacer esto otra vez.
Uso todo tipo de software para estudiar chino.
Quiero un coche, pero no tengo dinero para comprar uno.
Quiero que vayas a ver si sigue ahí.
El mes pasado fui a Los Ángeles de vacaciones.
Me gustaría haber estudiado francés cuando era más joven.
Preferiría que no le hubieras dicho la verdad.
Haré mi tarea después de ver televisión.
Te prestaré el poco dinero que tengo.
Me avergüenzo de hacerte una pregunta tan tonta.
Voy a acercarme a la tienda de juguetes con los niños.
Espero con ganas a verte este abril.
Soy más viejo que cualquier otro estudiante de mi clase.
Lo siento. Sé que no debería haber hecho eso.
Siempre quise aprender a tocar el oboe.
Por fin he encontrado a la mujer con la que me quiero casar.
Si tuviera suficiente dinero, podría comprar este libro.
Si vamos a hacer esto, hagámoslo ahora.
Si te vas, no te dejaré entrar más.
Por la noche solían ir al teatro.
¿No hay algo que le quieras decir a Tom?
Es difícil para mí resolver ese problema.
No es bueno no cumplir lo prometido.
Nunca se me ocurrió que él podía estar enfermo.
Solo era la sombra de un gran árbol.
Es un bonito lugar, pero yo no viviría allí.
Está claro que robó dinero de la caja fuerte.
Es posible que Tom ingrese a Harvard.
El japonés tiene algo en común con el coreano.
La falta de sueño lo lleva a uno a hacer estupideces.
La suerte me ha favorecido en esta competencia.
Muchas cosas llegaron a Japón desde China.
Mary está enamorada del chico de pelo rubio.
La Madre Teresa nació en Yugoslavia en 1910.
Mi hermano se cayó del árbol y se rompió una pierna.
Mi padre murió dejando una gran suma de dinero.
Mi madre dividió la tarta en ocho partes.
Mis padres no me dejaban salir con chicos.
No importa qué juego juegue, él siempre gana.
Ningún libro se lee tanto como la Biblia.
Las armas nucleares son una amenaza para la humanidad entera.
Dime con quién andas y te diré quién eres.
Nuestros ojos requieren tiempo para adaptarse a la oscuridad.
A la gente le encanta ver las casas de unos con otros.
Por favor, pon algunas velas en la tarta de cumpleaños.
Casi todo el mundo está haciendo lo mismo.
Ella me pidió perdón por haberme pisado el pie.
Ella no mencionó la razón de su retraso.
Ella quedo inconsciente, pero recuperó la consciencia algunos minutos después.
Lo saludó alegremente como siempre lo había hecho.
Ella insistía en que él fuera invitado a la fiesta.
Ella eligió una camisa rosada para que me la probara.
Dijo que ellos eran buenos amigos de ella.
Ella pasa demasiado tiempo navegando por la red.
Ella quiere comprarle un regalo a su novio.
Ella no es una empleada habitual de esta compañía.
Algunos chicos juegan tenis, y otros juegan fútbol.
Algunas mujeres se ven más masculinas que femeninas.
Nadar es un buen ejercicio para todo el cuerpo.
Esa experiencia me dejó un mal sabor de boca.
La energía atómica es costosa y peligrosa.
La caja era tan pesada que no la pude levantar.
La ocupada mujer ignoró al teléfono que sonaba.
Los niños están merendando en el patio.
El doctor no estaba seguro de cuál era el problema.
El jardinero no deja que pisemos el césped.
El héroe por fin derrotó al científico malvado.
Las revistas están apiladas junto a la mesa.
La noticia del accidente provocó alerta pública.
El anciano vio mi cuaderno y me sonrió.
Las personas a las que les presto dinero nunca me lo devuelven.
Las perspectivas de futuro de Japón son funestas.
Los marineros estaban a la merced del tiempo.
El profesor me elogió por estudiar con mucho esfuerzo.
La ciudad ha cambiado muchísimo desde entonces.
La máquina expendedora está haciendo unos ruidos extraños.
La mujer alcanzó el cuchillo sobre la mesa.
Hay gente que lee libros para matar el tiempo.
No hay nada más importante que los amigos.
Solía haber un árbol alto junto al templo.
Ellos se van a encontrar mañana en el hotel.
Ellos compran y venden calzado y ropa en aquella tienda.
Ellos mataron a más de tres mil marineros.
Dicen que él lleva dos años muerto.
Este libro es demasiado complicado para leerlo en una semana.
Éste es el mejor pastel que he comido hasta ahora.
Este trabajo es lo suficientemente simple para que lo haga un niño.
Hoy no hace tan buen tiempo como ayer.
Tom y María se quedaron mirando el uno al otro.
Tom y Mary se miraron el uno al otro y sonrieron.
Tom le preguntó a Mary si acaso le enseñaría francés.
Tom me pidió que le pasara la sal y la pimienta.
Tom comía lo que muchas personas llaman una dieta saludable.
Tomás no puede decir con certeza cuándo llegará María.
Tom cruzó el río para llegar a la casa de Mary.
Tom no llegó hasta que terminó la reunión.
Tom no sabía que tenía una admiradora secreta.
Tom ni siquiera trata de estar a la moda.
Tom no sabe acerca de esas clases de cosas.
Tom no se ve como el hombre en la foto.
Tom no quiere hacer nada que dañe a Mary.
Tom va al supermercado casi a diario.
Tom conoce a Mary desde que era niño.
Tom tiene problemas para expresar sus verdaderos sentimientos.
Tom es amigo del hermano menor de mi esposa.
Tom está guardando sus bolígrafos en el estuche.
Lo más probable es que Tom sepa lo que deberíamos hacer.
Tom se inclinó y besó a Mary en la mejilla.
Tom amaba a Mary, pero ella no lo amaba a él.
Tom nunca aprendió a hacer eso correctamente.
Tom dijo que no había visto a Mary desde hacía mucho.
Tom dice que no le gusta el helado de chocolate.
Tom definitivamente debería pedirle su opinión a Mary.
Tom habla francés mucho mejor que Mary.
Tom creyó que Mary quería que él le besara.
Tom me dijo que no se sentía muy bien.
Tom intentó convencer a Mary de que él tenía razón.
Tom normalmente se toma una siesta corta después de almorzar.
Tom quería pasar más tiempo en el país.
Tom siempre fue diferente de los otros niños.
Tom solamente tenía trece años de edad en aquel tiempo.
Tom vio a María desaparecer en la oscuridad.
Tom regresará en menos de treinta minutos.
El japonés de Tom mejora de poco a poco.
Trata de cortar la carne con otro un cuchillo diferente.
Desafortunadamente, el teléfono estaba fuera de servicio.
¿Hasta qué hora permanece abierta su farmacia?
Nosotros compramos papel de baño hecho de papel reciclado.
Tuvimos una charla seria el uno con el otro.
Necesitamos invertir en energía limpia y renovable.
Nos ordenaron que nos marcháramos sin ninguna explicación.
Lo que no te mata te hace más fuerte.
¿A qué hora parte el tren a Nueva York?
¿Cuál es el mejor fertilizante para las plantas de tomate?
¿Cuándo debería dejar de darle de comer comida de cachorro a mi perro?
¿Cuándo fue la última vez que desplumaste a una gallina?
¿Cuándo fue la última vez que visitaste Australia?
¿A quién le darás el primer pedazo de torta?
¿Por qué nos siguen pasando cosas así?
¿Por qué no tratas de portarte como un caballero?
Sin sus gafas él ve menos que un topo.
¿Le gustaría ir por un trago después del trabajo?
Por favor, ¿podría dejarnos solos un minuto?
Tú realmente estás lleno de curiosidad, ¿no es así?
¿Tú no viniste a la escuela ayer, o sí?
Puedes salir siempre y cuando regreses pronto.
Debes poner fin a este comportamiento estúpido.
No deberías gastar más dinero del que ganás.
Mejor hubieras guardado tu dinero para los días lluviosos.
Sos la única persona que conozco aquí en Boston.
Tus calificaciones estaban muy debajo del promedio este trimestre.
Una cadena solo es tan fuerte como su contacto más débil.
Una larga fila de camellos se trasladaba hacia el oeste.
De acuerdo a las noticias, él fue devorado por tiburones.
Todo lo que él quería era tiempo para terminar su pintura.
Una hormiga puede levantar más de 50 veces su propio peso.
Armstrong fue el primer hombre en llegar a la Luna.
Ella nos trajo café tan pronto nos sentamos.
A veces sufría un intenso dolor de cabeza.
Los británicos están acostumbrados a hacer cola.
¿Puedes creerlo? Ella es aún más floja que yo.
En Japón, los repuestos para computadores son muy caros.
Croacia está en el sudeste de Europa.
¿Ayer hablaste con tus nuevos compañeros de clase?
¿Te importa lo que otra gente piense de ti?
¿Sabes dónde compró Tom su computador nuevo?
¿Tú crees que estoy muy viejo para volver a la escuela?
¿Acaso te importa lo que otra gente piense?
No dejes que este libro de claves caiga en manos enemigas.
La dinamita fue inventada por Alfred Nobel en 1857.
Pocas personas notaron su ausencia a la fiesta.
Sinceramente, no estoy muy impresionado por su idea.
Ve a traer una silla de la otra habitación, por favor.
Ten un poco de respeto por las opiniones de otras personas.
Él accidentalmente se golpeó en el pulgar con el martillo.
A causa de la fuerte lluvia, no pudo salir.
Él gana más de 500 dólares al mes con ese trabajo.
Él le quitó el chocolate a su hermana.
Desahogó su cólera con el más que sorprendido oficinista.
No es tan inteligente como su hermano mayor.
Él cerró los ojos y escuchó la música.
Él tocaba la guitarra y ella tocaba el piano.
Él se le acercó sigilosamente en medio de la noche.
Él me dijo que va a ir a Francia en junio.
Él estaba enfadado, pero me escuchó con paciencia.
Él estaba sentado ahí con una pipa en la boca.
Fue a verle cuando estaba en Londres.
La fuerte nevazón impidió que el tren partiera.
Sus ingresos son muy pequeños para sostener a su familia.
¿Por qué siempre llegas tarde al colegio?
¿Cuánto tiempo vas a pasar en Francia?
Estoy muy feliz al oír acerca de tu compromiso.
Le aseguro que todo estará preparado a tiempo.
Compré esta raqueta con un 20% de descuento.
Yo no sé dibujar, pero mi hermana es una gran artista.
No puedo garantizar que vaya a pasar.
No lo sabía hasta que leí el periódico.
No voy al cine tan frecuentemente como me gustaría.
No me importa que me critiquen cuando estoy equivocado.
No creo que lo que hicimos supusiera ninguna diferencia.
Voy a la biblioteca dos o tres veces por semana.
Tengo el sentimiento de que serás un muy buen abogado.
Nunca he visto o escuchado algo así.
Esta noche debo estar en casa antes de que oscurezca.
Tenía la intención de ir con ella, pero estuve demasiado ocupado.
Solo quería asegurarme de que todos estaban despiertos.
Adoro los bombones, en especial los de frutos secos.
Necesito encontrar a alguien que confirme la coartada de Tom.
A menudo pienso en el lugar donde te encontré.
Recuerdo la forma en que tú solías flirtear con Tom.
Me torcí el dedo mientras jugaba voleibol.
Sugiero que nos centremos en terminar esto.
Creo que es hora de que limpie esa chimenea.
Pienso que eso es lo que Tom estaba intentando decirme.
Pensaba que Tom nos traería algo de comer.
Traté de llamarlo, pero la línea estaba ocupada.
En el futuro quiero convertirme en locutor de televisión.
Quiero que me lo expliques de forma más detallada.
Me pidieron que enseñara mi pasaporte en la frontera.
El año pasado fui a Viena por primera vez.
Anoté su nombre para que no se me olvidara.
Quisiera estar unos minutos a solas con Tom.
Le daré estos gatitos a quienquiera que le gusten los gatos.
Te estoy pidiendo que hagas esto, porque confío en vos.
Voy a hablar con Tom cuando vuelva a casa.
No se me da muy bien hacer pizzas, pero a Tom sí.
Estoy empezando a pensar que te gusta estar conmigo.
Aprendí a vivir con el dolor en mi espalda.
Si mañana está lindo, jugaremos al béisbol.
Si comes bien, es probable que vivas más.
¿En Japón las enfermeras tienen una posición social alta?
En los Estados Unidos, los autobuses escolares son amarillos.
¿Hay dinero suficiente para una botella de vino?
Se espera que la guerra termine dentro de poco.
Distinguir lo correcto de lo incorrecto es difícil a veces.
Creo que ya te has hartado de Tom.
No pasó mucho antes que nos encontráramos casualmente otra vez.
Le tomará dos horas terminar el trabajo.
Es un secreto. No se lo puedes decir a nadie más.
Es importante que yo sea informado inmediatamente.
No es de buena educación hablar con la boca llena.
Está claro que vamos a la iglesia.
Josh me invitó a salir, pero yo lo mandé a la punta del cerro.
Hagamos algo de ejercicio para hacer apetito.
Muchos trenes atraviesan el viejo túnel de piedra.
María aún vive en la casa de sus padres.
Matemáticas era su asignatura más débil en el colegio.
A mi hermano le encanta fotografiar montañas.
Mi padre está orgulloso de ser alto y guapo.
Mi abuela sale a pasear de noche.
Mi madre me miró con lágrimas en los ojos.
Napoleón vivió en la isla Elba en exilio.
Ella colapsó en llanto al oír las malas noticias.
En una situación así se cometen errores.
Por favor habla más alto para que todo el mundo pueda oírte.
Antiguamente se pensaba que la Tierra era plana.
Puedes vencer a la realidad con suficiente imaginación.
Ella se puso a llorar apenas salió de la pieza.
Ella se preocupa mucho de su presentación personal.
Ella planea jugar al tenis mañana por la tarde.
Ella guarda sus ahorros en el banco por seguridad.
Ella se casó nuevamente a mediados de sus cuarentas.
Ella retó al niño por llegar tan tarde a la casa.
Ella sugirió que yo fuera al negocio con él.
Ella solía jugar al tenis los sábados por la tarde.
Él le aconsejó sobre cómo mantenerse sana.
Ella iba todos los días a verlo al hospital.
Ella sólo está interesada en los peces y las cucarachas.
Siéntate en el sofá y ponte cómodo.
A algunos les gusta el café, y otros prefieren el té.
Alguien le tiene que decir a Tom lo que le ocurrió a Mary.
Dime lo que estás buscando y te ayudaré.
El comandante británico fue forzado a rendirse.
El edificio de las Naciones Unidas fue construido en 1952.
El bebe dormía profundamente en los brazos de su madre.
El niño le tiró un avión de papel al profesor.
Los niños construyeron un castillo de arena en la playa.
El país va en la dirección correcta.
El perro siguió a su amo, moviendo la cola.
La primera edición se publicó hace diez años.
La chica derramó algunas lágrimas cuando su padre murió.
Lo importante es tener su propia afición.
El león es usado a menudo como símbolo de coraje.
Las pruebas de mediado de año están a la vuelta de la esquina.
El anciano era acompañado por su nieto.
La Policía averiguó dónde vivía el criminal.
El prisionero excavó un hoyo debajo del muro de la prisión.
El hombre religioso siguió arrodillado por horas.
El área de la habitación es de dos metros y medio.
La segunda parte del libro está ambientada en Inglaterra.
Las voluntades fuertes sobreviven mientras que las débiles mueren.
El procesador de texto del escritorio es el de mi padre.
Tengo muchas cosas de las que quiero hablar.
No hay razón para que él sea despedido.
Había un gato persa durmiendo sobre la mesa.
Había una vez un rey que tenía tres hijas.
Hay un manantial en el centro del pueblo.
Hoy en día, los niños ya no juegan en la calle.
Ellos no entienden cómo funcionan los teléfonos móviles.
Reemplazaron el televisor defectuoso por uno nuevo.
Este camello es tan dócil que cualquiera puede montarlo.
Esta es la pera más sabrosa que haya comido.
Este es el hombre del que sospecha la Policía.
Este es el mismo tipo de auto que tiene mi papá.
Este problema es muy difícil y yo no sé resolverlo.
Al oírle hablar, puede que pienses que es una chica.
Tom admitió que había cometido el homicidio.
Tom y Mary son profesores muy capaces.
Tom y Mary se miraron fijamente el uno al otro con odio.
Tom y tres de sus amigos se fueron de picnic.
Tom sopló las velitas de su torta de cumpleaños.
Tom no puede creerse que Mary se dejara pillar.
Tom se suicidió tirándose de un puente.
Tom no podía soportar ver el cadáver de María.
Tom atravesó el puente para llegar a la casa de Mary.
Tom no sabía que Mary había decidido dejarlo.
Tom no consideró la edad de Mary.
Tom no tiene lo que se necesita para ser el jefe.
Tom ya no habla de nada conmigo.
Tom disfruta de una copa de vino de vez en cuando.
Tom encontró un billete de cien dólares en la calle.
Tom se emborrachó y se ahogó mientras se bañaba.
Tom no tenía idea de a qué hora Mary llegaría a casa.
Tom tiene tanto derecho de estar aquí como Mary.
Tom no se ha dado un baño desde hace tres semanas.
Tom está entre la espada y la pared.
Tomás es el único chico que no le gusta el fútbol.
Tom supo de inmediato que algo no andaba bien.
Tom se decidió a ser piloto de helicópteros.
Tom planea estar aquí hasta que pare de llover.
Tom parecía tener su mente en otra cosa.
Anoche Tom estuvo estudiando francés durante tres horas.
Tom le dijo a Mary que él creía en lo que John decía.
Tom trató de abrir la puerta, pero estaba con llave.
Tom acostumbraba estar ebrio a estas horas en la noche.
Tom quería matar a Mary, pero John le detuvo.
Tom fue dado de alta del hospital el mes pasado.
Tom deseó tener el suficiente dinero para jubilarse.
La licencia de conducir de Tom caduca el próximo mes.
Llegamos a la conclusión de que él es un genio.
Aún no hemos recibido una carta de él.
Recibimos una respuesta inmediata a nuestra carta.
Dejamos de amarnos a nosotros mismos cuando nadie nos ama.
Estamos investigando el asesinato de Tom Jackson.
¿Cuál es la herramienta más importante jamás inventada?
¿Qué pasará si hay un corte de luz ahora?
Cuando llegué a casa, me di cuenta de que había perdido la cartera.
Cuando ella tenía tres años, murió su padre.
¿Cuándo fue la última vez que recibiste tratamiento?
Cuando estés furioso, cuenta hasta diez antes de hablar.
¿Qué es más importante, tu carrera o tu familia?
¿Quién se hará cargo del perro mientras estemos fuera?
¿Por qué no nos tomamos un tiempo para pensarlo?
¿Causaría problemas darle ajo a mi perro?
¿Le gustaría un poco más de sal en sus palomitas?
Puedes hacer lo que quieras, por supuesto.
No puedes entrar al edificio sin autorización.
No tienes para que decir la verdad todo el tiempo.
Le puedes dar esta fotografía a quien sea que la quiera.
Deberías prestar más atención a lo que decís.
Simplemente no eres la persona que yo creía.
Tu padre habría estado muy orgulloso de ti.
"¿Dónde está Tom?" "Está jugando al tenis con Mary."
Un buen profesor debe ser paciente con sus pupilos.
Un desconocido se me acercó y me preguntó la hora.
Después de décadas de guerra civil, el orden fue restablecido.
Los cerdos se comen todas las manzanas caídas.
Casi todas las ex-mujeres de Tom todavía se hablan con él.
Los animales no pueden distinguir lo verdadero de lo falso.
Por fin la primavera ha llegado a esta parte de Japón.
Los libros son para la mente lo que la comida es para el cuerpo.
Contacte a mi asistente si tiene cualquier pregunta.
¿Tuviste que levantarte muy temprano esta mañana?
¿De verdad esperas que Tom te cuente la verdad?
¿Esta carta debe ser escrita en inglés?
No te olvides de devolver el libro a la biblioteca.
No te metas en mis asuntos personales.
Cada uno de nosotros recibió trescientos dólares.
Todas las casas de nuestra calle excepto la nuestra eran azules.
Mi papá me dijo que la segunda guerra mundial terminó en 1945.
Cada cierto tiempo se paraba y miraba a su alrededor.
¿Alguna vez has decorado tu casa para una fiesta?
Me trajo un café, aunque había pedido un té.
Él ingresó 100 dólares en su cuenta de ahorros.
Él tuvo un accidente de tráfico de camino al colegio.
Él está en una situación mucho mejor que en la que estaba hace diez años.
Él mantuvo a los invasores a la raya con una ametralladora.
Perdió a su padre cuando tenía tres años.
Él salvó al perro arriesgando su propia vida.
Él hacía girar muy rápidamente ambas baquetas en sus manos.
Él quiere que ella se marche y le deje en paz.
Él estaba tirado ahí con las piernas amarradas.
Él tiene que someterse a operación la semana próxima.
La fuerte nevada retrasó al tren durante varias horas.
Su hermano fue a la estación para despedirse de él.
Su declaración no deja lugar a dudas.
¿Cómo llego a tu oficina desde la Estación de Tokio?
¿Cuánto tiempo pensás pasar en la biblioteca?
Eché una solicitud como empleado en la exposición.
No puedo creer que Tom nunca hablase a Mary de John.
No lo puedo demostrar, pero estoy seguro de que le asesinaron.
Podría guardar el secreto, pero no por mucho tiempo.
No reconocí a Tom la última vez que lo vi.
No sé si tendré tiempo para hacerlo.
Yo no necesito tu dinero. Solo necesito tu tiempo.
No creo que tengas nada de que preocuparte .
Encontré un ave que tenía el ala gravemente dañada.
Conocí a mi novia actual en el gimnasio.
Yo tengo un amigo que le da de comer frutillas a su perro.
Tengo mucho trabajo que terminar para el fin de semana.
Tengo que revisar lo que dice el contrato.
Aún no he leído la última página de esa novela.
Sé una cosa que podríamos hacer que puede ser divertida.
Me perdí la primera media hora de la película.
Corrí lo más rápido posible para alcanzarla.
Vi a una niña cuyo pelo le llegaba hasta la cintura.
Hablé con el joven que parecía ser el mayor.
Creo que Tom está descortezando el árbol equivocado.
Creo que a Tom le ha pasado algo terrible.
Pensé que Tom se vería más como su hermano.
Pensé que vendrías derecho a la casa.
Quiero regalarte una bicicleta por tu cumpleaños.
Quiero estar contigo pase lo que pase.
Yo estaba jugando un juego cuando sentí un terremoto.
No te obligaré a hacer nada que no quieras.
Me gustaría agradecerle a mis padres, Tom y Mary.
Solo quisiera hablar con Tom antes de que nos vayamos.
Me gustaría pasar el resto de mi vida con vos.
Te haré enterar de los resultados tan pronto como pueda.
Te contaré todo lo que quieras saber.
Estoy convencido de que este trabajo es perfecto para ti.
Les voy a contar un caso curioso.
No estoy segura si es un halago o un insulto.
Aún estoy intentando averiguar lo que deberíamos hacer.
He estado sola en esta isla por tres años.
Si tuviera más tiempo, aprendería a bailar.
La vida sería aburrida de no ser por los libros.
Si lo llegaras a ver, dile que me llame.
En una democracia, todos los ciudadanos tienen los mismos derechos.
¿Hay algo que quieras que no tengas?
Le costó 50 dólares alquilar un coche en Hawái.
Me es imposible responder a la pregunta.
Es una canción tan antigua que todo el mundo la conoce.
Parece ser que hay algo mal en este coche.
Fue el mal clima lo que provocó su enfermedad.
Vivir tan cerca de la estación es conveniente.
Está realmente oscuro aquí. No puedo ver nada.
El año pasado fue un período de incertidumbre económica.
Encontrémonos a mitad de camino entre tu casa y la mía.
Mary celebra el Año Nuevo con su familia.
Las minifaldas estuvieron pasadas de moda durante un tiempo.
A veces, mi novio flirtea con otras chicas.
Mi padre es tan viejo que es duro de oído.
Mi amigo Tom tiene el doble de sellos que yo.
Mis padres me dieron una casa cuando nos casamos.
Mi tío vive en Madrid, la capital de España.
No importa lo que digas, no cambiaré de parecer.
No sólo me dio el consejo, sino también el dinero.
Uno de mis amigos dice que quiere conocerte.
Por favor diga una plegaria por aquellos que estuvieron a bordo.
Oprime el botón verde y la luz se enciende.
El senador Hoar habló duramente contra el tratado.
Ella rompe un plato cada vez que los lava.
Ella no pudo impedir que su hija saliera.
Ella le da de comer a su perro lo mismo que ella come.
Ella es atractiva cuando se viste de blanco.
Ella dejó bien claro que se quería casar con él.
Ella dijo que se da una ducha todas las mañanas.
Ella sugirió que se lo entregada en seguida.
Estaba enfadada. Por eso se quedó callada.
Ella será la primera mujer japonesa astronauta.
El sueño no es menos necesario para la salud que la comida.
Algunas personas engordan cuando dejan de fumar.
Ella a veces trataba de hablarle acerca de India.
Esa isla fue gobernada por Francia en algún momento.
Los Estados Unidos habían ganado la carrera a la Luna.
La llegada de las tropas condujo a más violencia.
Ya había sonado la campana cuando llegué al colegio.
La antena del coche está integrada en el parabrisas.
El concierto concluyó con el himno nacional.
El temblor de tierra redujo muchos pueblos a escombros.
La inundación me impidió cruzar el río.
Los rehenes serán liberados antes de Navidad.
Lo último que supe es que Tom se encontraba pescando en Canadá.
El hombre que está allí leyendo un libro es mi padre.
La película fue más interesante de lo que yo esperaba.
El anciano nos contó sobre el divertido incidente.
Los pasajeros fueron evacuados del barco que se hundía.
La policía plantó evidencia en la escena del crimen.
El presidente expuso su postura en el asunto.
El clima lluvioso perduró por diez días consecutivos.
Hay que alargar las mangas de este abrigo.
El profesor abrió la caja y sacó una pelota.
Las dos chicas vistieron el mismo vestido para el baile.
Hay veces en que debemos ocultar la verdad.
Debería haber una ley contra el hackeo de computadoras.
Este año hubo menos accidentes que el año pasado.
En este país no hay libertad de religión.
Ellos avisaron que tenían una casa en venta.
Ellos van juntos a veces a ver una película.
Este libro es tan difícil que no puedo leerlo.
Este es el café en donde conocí a mi esposa.
Este shopping es tan grande que no puedo encontrar la salida.
Este robot es capaz de sujetar un huevo sin romperlo.
Miles de extranjeros visitan cada año Japón.
Tom siempre se pierde si no lleva un mapa.
Tom y Mary decidieron dejar de salir juntos.
Tom y María se miraron el uno al otro y se pararon.
Tomás y María estaban parados uno al lado del otro.
Tom le preguntó a María adónde iba de compras normalmente.
Tom tomó prestado una enorme suma de dinero de Mary.
Tom no puede leer un menú que no esté escrito en inglés.
Tom aseguraba que podía correr más rápido que Mary.
Tom no pudo hacer que la puerta quedara completamente cerrada.
Tom claramente gana más dinero que Mary.
Tom no sabía la razón por que Mary estaba llorando.
Tom no quería que te dijera lo de la fiesta.
A Tom no le importa lo que piensan los demás.
Tom no recuerda la última vez que vio a Mary.
Tom no quiere tratar este problema ahora.
Tom se quedó dormido en el bus y se pasó su paradero.
Tom reparó el tejado de su casa tan sólo ayer.
Tom tuvo que esperar a Mary más o menos por tres horas.
Tom conoce a Mary desde que era una niña pequeña.
Tom es un delincuente que viene de una familia rica.
Tom sigue siendo tan amistoso como antes.
Tom no es tan bueno en francés como tú piensas.
Tom sabe qué decir para hacer que Mary lo perdone.
Tom me hizo hacer algunas cosas que yo no quería hacer.
Tom notó que Mary parecía estar enojada con John.
Tom vio a Mary y John tonteando entre sí.
Tom compartía el dormitorio con su hermana menor Mary.
Tom luego comprendió la seriedad de su error.
Tom le dijo a María que no tenía suficiente dinero.
Tom quería que Mary le comprase a John un regalo de cumpleaños.
Tom estaba comiendo el postre cuando sonó el teléfono.
Tom era la última persona que esperaba ver aquí.
Tom se preguntó por qué Mary no le había contado al respecto.
Tom, ¿con quien vas a pasar la navidad?
Estamos tan ocupados que aceptaríamos cualquier ayuda que se nos ofreciera.
Tenemos cinco clases todos los días excepto el sábado.
Nos acabamos de casar y esta es nuestra luna de miel.
Visitamos un enorme parque de diversiones en San Pablo.
Cenaremos juntos y luego iremos al teatro.
Lo que Tom verdaderamente quería eran unas vacaciones de dos semanas.
¿Qué le pasó al libro que dejé aquí ayer?
¿Qué estabas haciendo cuando llamé esta mañana?
¿Cuál es la altura del edificio Empire State?
Cuando llegué a casa me di una agradable ducha fría como hielo.
De casualidad yo estaba ahí cuando la bomba estalló.
Cuando haces una pregunta, esperas una respuesta.
Quien quiera entrar en nuestro club será bienvenido.
¿Por qué nunca querés hablar del pasado?
¿Estarías dispuesto a mostrarme cómo hacer eso?
¿Te importaría si me tomo el resto de la leche?
Le das demasiada importancia a lo que él dice.
No podés hacerlo solo. Pedile a alguien que te ayude.
Tienes que hacer el trabajo aunque no te guste.
Deberías dar esta tarea a otra persona.
No deberías creer todo lo que Tom te dice.
Te vas a lastimar si no tienes cuidado.
Se te pasó una palabra al copiar el cuaderno.
Tu filosofía de vida es diferente a la mía.
"¿De quién son estos calcetines?" "Son de mi hermana."
Un montón de gente estaba parada afuera esperando.
Un hombre con la barriga llena piensa que nadie está hambriento.
Un hombre extraño se acercó a mí y me pidió dinero.
Todo lo que tienes que hacer es seguir sus consejos.
Una bomba atómica fue lanzada en Hiroshima en 1945.
¿Eres más cercano a tu madre o a tu padre?
Actualmente, la causa de la enfermedad es desconocida.
El Bok Choy es una verdura usada en la cocina china.
Por cierto, ¿te enteraste que Mary renunció a su trabajo?
Las iglesias están marcadas en el mapa con una cruz.
¿Puedes avanzar para que podamos cerrar la puerta?
¿Podrías por favor decirme nuevamente por qué llegas tarde?
¿Has elegido un libro interesante para tu hijo?
¿De verdad tienes billetes gratis para el concierto?
No tomes opiniones y hechos como la misma cosa.
Debido al mal tiempo, el juego fue cancelado.
Aunque no quería beber solo, lo hice.
Todos saben que Bell inventó el teléfono.
Francamente hablando, no quiero trabajar con él.
Siga por esta calle y gire a la derecha en el banco.
Él siempre deja la ventana abierta cuando duerme.
Él me pidió que pagara inmediatamente en dinero.
A él no le gusta lo que han dicho los periodistas.
Él ha sido el jefe de su tribu por 35 años.
Él es un científico respetado por todos.
No sólo le gusta el béisbol, sino también el fútbol.
Él recordó a su mujer que le tenía que despertar a las siete de la mañana.
Él esperó hasta las diez y se fue poco después.
Él se fue a París, donde vivió durante cinco años.
Él ha sido un cliente de esta tienda durante muchos años.
Su pierna mala le impidió ganar la carrera.
¿Cuánto se tarda en ir a Okinawa en avión?
Por más que lo quieras, nunca pasará.
Pido disculpas por la demora en enviar la agenda.
Puedo hacer eso con una mano atada detrás de mi espalda.
Tengo muchos deberes, así que no puedo salir.
No puedo decirte por qué faltó a clase.
Yo podía correr bastante más rápido cuando era joven.
No le dije nada acerca de esto a mi novia.
No creo que Tom esté en Boston el verano que viene.
No quiero que hagas o digas nada.
Me siento mal por no haber ido a su funeral.
Me aburría cada vez más a medida que el discurso avanzaba.
Cuando volvió yo acababa de terminar de escribir la carta.
Tengo mucho trabajo que terminar para el fin de semana.
Tengo la sensación de que ya he visto esta película.
Espero que no te importe que te dé algunos consejos.
Sé lo que quiero, es solo que todavía no lo he encontrado.
Noté que los precios de venta estaban escritos con tinta roja.
Prefiero no comer carne, porque soy vegetariano.
Yo recomiendo una revisión completa para tu esposo.
Vi un bote de pesca a alrededor de una milla de la costa.
Creo que es hora de que me compre una cámara decente.
Pensé que Tom le daría a María tu número telefónico.
Yo probé una y otra vez, pero no pude conseguirlo.
Quiero descubrir la clase de música que le gusta a Tom.
Quiero que me ayudes a descubrir quién me robó el coche.
Estaba aburrido porque ya había visto la película antes.
Le daré estos boletos a quienquiera que los quiera.
Desearía tener el valor para expresar mis sentimientos.
Haría lo que fuera para tenerte entre mis brazos.
Preferiría morir a hacer algo tan injusto.
Te escribiré o te llamaré la próxima semana.
Me das envidia porque tienes un buen jefe.
Es muy probable que sea el primero en hacer eso.
Estoy cansado de estudiar. Salgamos por un trago.
Vivo en esta casa desde el mes pasado.
He leído varias veces cada uno de estos libros.
Si Tom no se come esto, por favor, dáselo a Mary.
Si haces eso vas a quedar en ridículo.
Si tenés algo que decir, decímelo en la cara.
Por la mañana, me gusta poner miel en mi tostada.
¿Hay algún riesgo de ser atrapado por la policía?
Ya es hora de comprar un nuevo microondas.
Escribir una carta de amor en inglés no es fácil.
Parecía que su familia se había mudado a Hokkaido.
Necesité mucho tiempo para acostumbrarme al ruido.
Hacía tanto frío que nadie quería salir.
Hace mucho tiempo que no te veo sonreír.
Se suele decir que las mujeres viven más que los hombres.
Solo porque él sea rico no significa que sea feliz.
Una bala no mata dos veces al mismo pájaro.
La ley de la mayoría es un principio básico de la democracia.
Han cambiado muchas cosas en el último lustro.
Mary vestía un suéter negro cuando la conocí.
Mehmed Talat fue asesinado en Berlín en el año 1921.
Me duele la espalda porque me he pasado todo el día pescando.
Mi marido está desocupado y busca un empleo.
Se construyeron nuevas fábricas y centros industiales.
Oh, por cierto, ¿sabes dónde vive ella ahora?
Quien no tiene objetivos en la vida vive sólo para morir.
Pintar nuestra casa nos llevó más tiempo del que esperábamos.
La fotografía ahora es considerada una nueva forma de arte.
Por favor, acuérdate de venir a vernos este fin de semana.
Lávate las manos después de ir al baño, por favor.
Selena Gomez acaba de lanzar su segundo disco.
Le aconsejó que caminara en vez de tomar una micro.
Ella lo trajo a nuestra casa para que conociera a mis padres.
Ella amuebló la habitación con un precioso mobiliario.
Ella ha vivido sola desde que murió su esposo.
Ella está exactamente igual a cuando iba al colegio.
Ella se dio cuenta de que mejor hubiera dicho la verdad.
Ella pudo atravesar el océano Pacífico en bote.
Ella le escribió para decirle que lo amaba.
A algunas personas les gusta el verano, y a otros les gusta el invierno.
Aunque parezca mentira, no sentí ningún dolor en absoluto.
Ese niño no quería soltar la mano de su madre.
Los británicos tenían más tropas que el otro lado.
El río Shinano es el río más largo en Japón.
El mal clima me impidió el ir a pescar.
El libro fue publicado después de la muerte del autor.
El comité aún no ha llegado a una decisión.
La muchedumbre se reunió frente al correo.
El doctor le aconsejó a mi padre que dejara de fumar.
El examen que hizo la semana pasada era muy difícil.
El marco en si mismo es más valioso que el lienzo.
La buena cosecha bajó el precio del arroz.
Es una idea equivocada que el dinero comprarlo todo.
El hombre que pensé que era mi amigo me engañó.
El nuevo modelo estará en el mercado en noviembre.
La única persona que pudo haber hecho esto es Tom.
La policía encontró una nota suicida en el bolsillo de Tom.
El producto de dos números negativos es positivo.
Los soldados tiraron al blanco por la mañana.
El cirujano olvidó algo dentro del paciente.
El teatro en mi barrio está siendo reconstruido.
El tratado prohíbe las bombas atómicas y de hidrógeno.
Todavía no se conoce el paradero del sospechoso.
Por este camino siempre pasan muchos coches.
Hay una oficina de correos al final de la calle.
Solía haber una estatua de un león en la entrada.
Había muchos fanáticos entusiasmados en el estadio.
Hay algo de lo que tengo que hablar contigo.
Chocaban a menudo por sus opiniones políticas.
Este coche es de mi padre, pero pronto será mío.
Esta es la mejor película que he visto en mucho tiempo.
Esta es tu última oportunidad de pasar tiempo con Tom.
Esta foto me recuerda a mi época de estudiante.
Para hacer una tarta, necesitas huevos, mantequilla y azúcar.
Tom siempre lleva un mapa y un compás en su mochila.
Tom y Mary han comenzado a respetarse el uno al otro.
Tom anunció su candidatura a presidente de curso.
Tom comenzó a aprender francés hace aproximadamente tres años.
Tom no podía hacer que Mary entendiera lo que trataba de decir.
Anoche Tom no volvió a casa, espero que esté bien.
Tom no dijo cuántas veces había estado allí.
Tom no tiene dudas de que Mary llegará a tiempo.
Tom no tiene ni idea de en qué está pensando Mary.
Tom no sabe por qué Mary y John están peleando.
Tom no cuida bien a sus niños.
Tom desayuna a las seis todas las mañanas.
Tom llegó al aeropuerto justo en el último momento.
Tom ha estado viviendo en el extranjero por un muy largo tiempo.
Tom tiene problemas para llevarse bien con los demás.
Tom no le tiene miedo a las serpientes, ni siquiera a las venenosas.
Tom pudo haber estado en Boston con Mary la semana pasada.
Tom toca en un club de jazz tres noches a la semana.
Tom se dio cuenta de que María lo estaba evitando deliberadamente.
Tom dijo que estaba planeando emborracharse esta noche.
Tom debería tener cuidado de no subestimar a Mary.
Tom pensó que Mary sabía en dónde comprar pimienta negra.
Tom le dijo a Mary que no saliera sola por la noche.
Tom le dijo al juez que quería otro abogado.
Tom quería que Mary supiera que él no la odiaba.
Tom esperaba que María no descubriera la verdad.
Tom no podía decidir por quién debería votar.
Tom se preguntaba cuántos pares de zapatos poseía María.
El sueño de Tom es ir a una universidad inglesa.
Los árboles entregan oxígeno y absorben dióxido de carbono.
El agua hierve a los 100 grados Celsius a nivel del mar.
Será mejor que le dejemos solo unos minutos.
Tenemos algunos nuevos productos que nos gustaría mostrarte.
Debemos prestar atención a los problemas medioambientales.
Tendemos a asociar a los políticos con la hipocresía.
Justo estábamos a punto de irnos cuando ella llamó.
Lo que Tom verdaderamente quería era algo de paz y tranquilidad.
¿Cuál es tu excusa para llegar tarde al trabajo?
Lo que hiciste fue muy peligroso y muy estúpido.
Cuando yo era un niño, solía ir a nadar en aquel estanque.
Al fracasar el negocio se quedó en la calle.
Cuando éramos niños, jugábamos juntos todos los días.
¿Por qué abandonaste la idea de aprender inglés?
¿Estarías dispuesto a compartir tu código conmigo?
No eres una buena persona. Lo sabes, ¿no?
No puedes vivir tu vida bajo estas condiciones.
Vosotros chicos, no pensaréis que ellos le darían una paliza a Tom, ¿de verdad?
Debes recordar decirle todo lo que sabes.
Deberías estar orgulloso de lo que has conseguido.
No se debe despreciar a un hombre porque sea pobre.
Pronto te acostumbrarás a tu nueva escuela.
No eres lo suficientemente mayor para conseguir una licencia de conducir.
"¿Hay un libro en el escritorio?" "No, no hay."
Un médico me ha dicho que comer huevos era malo para mi salud.
Según muchas religiones el adulterio es pecado.
Todos mis hijos quieren aprender a hablar en francés.
Cualquier cosa en la que eres bueno contribuye a la felicidad.
¿Estás pensando seriamente en comerte todo eso?
En este momento, tenemos 1,600 estudiantes en nuestro colegio.
¿Puede darme una breve descripción del ladrón?
Tápese la boca cuando tosa, estornude o bostece.
¿Te acuerdas de la primera vez que tú y yo nos vimos?
No dejes que nada se interponga entre tú y el éxito.
¿No crees que ya va siendo hora de que asientes la cabeza?
Yo juego tenis como recreación de vez en cuando.
Lejos de enmendarse está cada día peor.
¿Te has olvidado del verdadero significado de la Navidad?
Él siempre habla con desprecio del gobierno.
Él no creía que nadie haya tenido el derecho a actuar así.
Dio una descripción minuto a minuto de la cena.
Tiene una buena reputación allá donde vaya.
Él se apresuró para no perder el tren.
Él es el mayor arquitecto que ha vivido jamás.
No pasa una semana sin que le escriba a su madre.
Él dijo que no conocía al hombre, lo cual era mentira.
Se quedó parado viendo la escena boquiabierto.
Fue noqueado de un puñetazo en el primer asalto.
Él fue a Tokio con el sueño de hacerse rico.
Aquí hay una lista de cosas que deberías evitar comer.
Su familia se mudó a una casa nueva en las afueras de la ciudad.
¿Cuántas horas al día pasas en tu oficina?
¿Cuánto dinero tienes escondido bajo la cama?
Me pongo el casco siempre que me monto en la moto.
Supongo que Tom no tiene tantos amigos.
Me puedo quedar en el auto mientras tú vas al banco.
No puedo decir que comparta tu entusiasmo por la idea.
No pude evitar reírme cuando oí esa historia.
Ya ni siquiera sé que me está pasando.
No entiendo a qué viene tanto alboroto.
Dudo que a Tom le castiguen por hacer eso.
He encontrado el libro que perdí ayer.
Tengo un amigo cuyo padre es veterinario.
He intentado desanimarle de ir al extranjero.
Me agarré con fuerza a la cuerda para no caer.
Le hice compañía mientras operaban a su esposa.
Me las apañé para hacer que el profesor entendiera mi idea.
Planeo terminar eso en dos o tres minutos.
No debería tener que decirte que hagas los deberes.
Me pasé dos horas viendo televisión anoche.
Creo que es hora de que lo contacte por teléfono.
Creo que deberías prestar más atención en clase.
Pensé que siempre jugaban fútbol los sábados.
Solía escuchar la radio muy tarde por la noche.
Quiero verte en tu oficina en media hora.
Fui a por ti, pero tú ya te habías ido.
Quisiera poder hacer todo lo que quería hacer.
Querría ir a la fiesta del 1 de noviembre.
Quisiera saber más acerca de lo que le pasó a Tom.
Cantaré una canción en la boda de Tom y Mary.
A la entrada del invierno saldré de viaje.
No estoy dispuesto a cocinar cena para veinte personas.
¡Me muero de hambre! Daos prisa y dadme algo de comer.
He estado esperando para invitarte a salir durante largo tiempo.
Te he advertido una y otra vez que no lo hagas.
Si él se entera, definitivamente estará furioso.
Si el café es demasiado fuerte, añádele algo más de agua.
Si estás ocupado, le pediré a otra persona que me ayude.
En caso de incendio, llama al 119 inmediatamente.
En el desierto, el agua vale su peso en oro.
¿Hay algún sitio donde pueda ir para encontrar un mercadillo?
En esta habitación se realizará nuestra reunión.
Parece que Tom pudo conseguir lo que quería.
Me costó más de un mes recuperarme de mi resfriado.
Fue imposible para mí responder esta pregunta.
No era la primera vez que Tom conducía un deportivo.
Es una pérdida de tiempo estudiar con sueño.
Se supone que va a hacer más frío y a nevar a lo largo del día de hoy.
Échale un ojo a mi maleta mientras compro mi billete.
Vayámonos antes de que alguien cambie de idea.
Aseguraos de manteneros juntos para que nadie se pierda.
La gente casada es más feliz que la gente soltera.
Mireille Mathieu es una de las mejores cantantes de Francia.
Mi decisión de estudiar en el extranjero sorprendió a mis padres.
Mi pasatiempo favorito es pasear por la orilla.
Mi madre comúnmente se relaja y duerme después del almuerzo.
Mi tren salió a las siete y llegó a Nueva York a las diez.
No menos de quinientos estudiantes estaban presentes.
Los ancianos tienden a volver la mirada al pasado.
Nuestros ancestros llegaron a este país hace 150 años.
Nuestros padres viven justo al otro lado de la calle.
Déjame recoger a tu hermana en la estación, por favor.
Lea cuidadosamente las instrucciones antes de comenzar.
Ella lloró al ver el cadáver de su padre.
Ella terminó rápido su almuerzo y fue de compras.
Perdió a su padre cuando tenía tres años.
Ella se le quedó mirando y eso le puso muy nervioso.
Ella estuvo en la cama durante la mañana leyendo un libro.
Algunos de los libros que tiene son novelas inglesas.
Tómate esta medicina y te sentirás mucho mejor.
El emperador rezó por las almas de los fallecidos.
La banda subió el número de shows en su gira.
El libro que me leí ayer era muy interesante.
El puente cederá ante una carga tan pesada.
Los polis están buscando los documentos desaparecidos.
La puerta se cerrará automáticamente cuando salgas.
La explosión pudo haber sido causada por una fuga de gas.
La casa era más cara de lo que había esperado.
El periódico está en la mesa junto a la ventana.
El éxito sólo depende de tu propio esfuerzo.
El policía encontró al político muerto en su cuarto.
La propiedad fue dividida equitativamente entre los herederos.
Los soldados estaban dispuestos a morir por su país.
Los estudiantes están haciendo grandes progresos con el inglés.
El tren se retrasó debido a una fuerte nevada.
La mujer que se sienta allí es su esposa actual.
Hay más estrellas en el cielo de las que puedo contar.
Hay una estatua del profesor cerca de la escuela.
Ayer no había ningún niño en el parque.
Ya no hay un sólo lugar seguro en Japón.
Ellos defendieron a su país de los invasores.
Dicen que uno no se repone nunca de su primer amor.
Ellos no me creerán aunque les jure que es verdad.
Este es por lejos el edificio más alto en esta ciudad.
Esta mañana me levanté demasiado tarde para tomar el desayuno.
Este será uno de los mejores recuerdos de mi vida.
Para nuestra sorpresa, Tom vino con Mary a nuestra fiesta.
Tom y Mary no invitaron a John a su casamiento.
Tom le preguntó a Mary si le gustaría ir de compras.
Tom no puede recordar exactamente donde puso sus llaves.
Tom no podía dormir porque tenía un fuerte dolor de cabeza.
Tom no se sentía bien, pero de todos modos fue a trabajar.
Tom no deja que sus hijos jueguen con Mary.
A Tom no le gusta comer donde hay gente fumando.
Tom no cree que María vaya a hacer muy bien el trabajo.
Tom no quiere hablar de su vida privada.
Tom conoció a Mary cuando iban en enseñanza media.
Tom tiene un historial de arrestos por conducir en estado de ebriedad.
Tom ya está aquí pero Mary todavía no ha llegado.
Tom es el presidente del club de astronomía local.
Tom conoció a su esposa cuando estudiaba en Francia.
Tom fingió no haber visto hacer a Mary lo que hizo.
Tom dice que no sabe cuándo empieza la reunión.
Tom debería haberle prestado atención a lo que Mary dijo.
Tom da un paseo con Mary y su perro cada día.
Tom me dijo que no podía esperar por salir de ahí.
Tom caminaba por el sendero, silbando una melodía alegre.
Tom nació tres días antes de la Navidad de dos mil trece.
Tom era el tipo de hombre con el que te podías llevar bien.
Tom fue a la embajada australiana a conseguir una visa.
Ayer Tomás me escribió más de treinta mensajes.
Truman llegó a la Casa Blanca en unos minutos.
No quiero que Tom nos ayude a menos que esté sobrio.
Asociamos a Darwin con la teoría de la evolución.
No habíamos ido lejos cuando empezó a llover.
Nos escondimos tras un arbusto para que nadie pudiera vernos.
A veces debemos exponer nuestros cuerpos al sol.
Permitiremos un descuento del cinco por ciento respecto de los precios del catálogo.
¿Qué te ha hecho decidir trabajar para nuestra compañía?
¿Qué idioma se habla en los Estados Unidos?
¿Cuál es la verdadera razón por la que no quieres hacer esto?
Cuando me vio, se levantó el sombrero y me saludó.
¿Cuándo fue la última vez que discutiste con tu esposa?
¿A cuál de tus padres piensas que te pareces?
¿Podrá ella dejar el hospital la semana próxima?
¿Quisieras que te ayude con tu tarea?
Tú eres joven. Yo, por el contrario, soy muy viejo.
No tienes ni idea de lo importante que es este trabajo para mí.
Estás tan guapa que podría besarte ahora mismo.
No está bien intentar imponer las ideas propias a los demás.
Te preocupás demasiado por lo que piensan los demás.
Todavía eres demasiado joven para tener carnet de conducir.
Tu reloj se parece al mío en la forma y el color.
Un autobús nos llevó del aeropuerto a la ciudad.
Una campaña nacional por el ahorro de la energía está en desarrollo.
Un extraño solo es un amigo que todavía no has conocido.
Todas las generalizaciones son erróneas, incluyendo ésta.
Todo lo que diga podrá ser utilizado en su contra.
Mis dos padres vinieron a despedirme al aeropuerto.
¿Puede decirme cómo llegar a la playa, por favor?
¿Podría echarle un ojo a mi maleta por un momento?
¿No sabías que murió hace dos años?
¿Realmente crees que este sujeto es un mago?
¿Todos piensan que yo robé el dinero?
A tu padre no le digas que quieres hacerte payaso.
Cada vez que iba a verle, lo encontraba en el trabajo.
Disculpe ¿Me puede decir dónde está la biblioteca?
Para ciertas tareas, mi ordenador puede ser muy útil.
Por lo general, los occidentales no comen pescado crudo.
Él se agarró un resfriado cuando salió a la lluvia.
Él condujo el carro mientras escuchaba música en la radio.
Él oyó un ruido extraño y saltó de la cama.
Él conoce bien la historia de Inglaterra.
Él memorizó ese poema cuando tenía cinco años.
Él corría tan rápido que no pudimos alcanzarlo.
Él sufrió heridas internas en el accidente automovilístico.
Él esperó unos segundos y abrió la puerta.
A pesar de mi consejo, no cambiará de opinión.
Sus padres decidieron que ella tocaría el violonchelo.
Hokkaido queda en el norte de Japón.
No estoy seguro pero creo que quiero ser maestro.
Creo que es lo único que puedo hacer por tí.
No recuerdo cómo se decía "Gracias" en alemán.
No me gusta la pizza más de lo que me gusta el espagueti.
No quiero trabajar en un supermercado toda mi vida.
Yo ya había comido antes de llegar a la fiesta.
Odio que otras personas me hagan esperar mucho tiempo.
No tengo nada que decir sobre este asunto.
¡Espero que él consiga venir! Me gustaría verle.
Sé que está en el departamento, pero no lo puedo encontrar.
Me gusta esa universidad, pero está demasiado cerca de casa.
Necesito ayuda para traducir este documento al francés.
Te debo una muy grande por sacarme del apuro.
Dije "buenas noches" a mis padres y me fui a dormir.
Todavía no tengo ni idea de lo que voy a decirle a Tom.
Yo pienso que podría llover hoy, pero podría estar equivocado.
Creo que los precios en esta tienda son demasiado altos.
Pensé que Tom apreciaría el regalo de María.
Le dije que no soltara la cuerda, pero la soltó.
Quiero unas bellas flores para poner sobre la mesa.
Esta noche quiero ver béisbol en la televisión.
Yo estaba preparado para hacer cualquier cosa de lo que ellos me pidieran que hiciera.
Esperaré a que hayas acabado los deberes.
Quisiera ocupar la mañana entera en esto.
Me encantaría casarme contigo, pero mi familia no me deja.
Nunca se me presentará la oportunidad de hacer eso.
Ya le he dicho a Tom que no puede ir a la fiesta de Mary.
He cometido más de un error estúpido en mi vida.
Si alguien viene a verme dile que he salido.
Si hace un buen día mañana, iremos de picnic.
Si te metes con las drogas, te estás buscando problemas.
En Nueva York un dólar equivalía a ocho chelines.
En mi familia, el castigo por mentir era severo.
Me parece que ella se siente mucho mejor el día de hoy.
Parecía que ella ya había recibido el dinero.
Fue difícil para mí para salir de la cama esta mañana.
Estaría bien tener una de esas, ¿a que sí?
Han pasado diez días desde que mi novio quedó en prisión.
Se ha puesto oscuro. Por favor, enciende la luz por mí.
Él es dueño de este hotel gracias a su padre.
Júpiter es el planeta más grande del sistema solar.
Vamos a, o bien hablar chino, o bien no hablar nada en absoluto.
Muchas personas se hicieron paso hacia la salida trasera.
Con frecuencia, la metadona se prescribe como analgésico.
La madre le dijo que cuidara de su hermano menor.
La empresa de mi padre está al borde de la bancarrota.
Nadie te pondrá un dedo encima mientras yo viva.
Ahora que el tiempo es cálido, puedo salir fuera.
El barco no pudo dejar el puerto debido a la tormenta.
Por favor limpia esta habitación antes de que todo el mundo llegue.
El presidente Truman tuvo que tomar una difícil decisión.
Ella siempre deja a sus hijos hacer lo que quieran.
Ella puede tocar el violín, y ni mencionar el piano.
Ella está en la cocina porque está preparando la cena.
Ella se decidió a pasar la selectividad.
Ella pasa tiempo con su abuela todos los domingos.
Ella se hizo cargo del negocio después de la muerte de su esposo.
Ella estaba deseando irse a navegar con él.
Ella hará un viaje de negocios a Londres la semana próxima.
Está intentando silbar, pero no sabe cómo.
Algo me dice que ellos no van a durar mucho.
Suiza es un bello país que vale la pena visitar.
Esa emisión será difundida a toda América.
El presidente de Francia visitará Japón el mes que viene.
El proyecto de ley fue aprobado por una abrumadora mayoría.
Las clonaciones de embriones humanos están prohibidas por ley.
El médico dice que Tom va a estar bien.
La casa está en la parte más llana del terreno.
Los inmigrantes sueñan con tener una nueva y mejor vida.
El hombre se armó de valor y apretó el gatillo.
Las noticias sobre su divorcio fueron una gran sorpresa.
El anciano se sentó en la banca con los ojos cerrados.
El piloto realizó un aterrizaje de emergencia en el desierto.
La policía estaba estudiando el pasado del sospechoso.
Los editores de ese periódico son muy liberales.
La secretaria introdujo la carta en el sobre.
Vendrá el día en que tu sueño se hará realidad.
El volcán hizo erupción repentinamente, matando a muchas personas.
Hay mucha gente que quiere hablar con Tom.
No hay cuota de admisión para los niños menores de cinco años.
Hay algo más que quisiera comentar contigo.
Ellos combatieron a los italianos primero en Egipto y Libia.
Ellos no estaban seguros de si podían venir o no.
Este es el mismo lápiz que perdí el otro día.
Me ahogo en esta habitación tan pequeña y calurosa.
Tom vertió sin querer la botella de agua.
Tom y Mary comían pochoclo mientras miraban la película.
Tom le preguntó a Mary si acaso estaba desocupada el Día de los Enamorados.
Tom me preguntó quién era el responsable del accidente.
Tom no se puede acordar de dónde se compró sus calcetines rosados.
Tom podía ver que él no iba a ganar la discusión.
Tom depositó 1.000 dólares en su cuenta de ahorros.
Tom no quería trabajar horas extra en Noche Buena.
Tom no habla francés con tanta fluidez como Mary.
Tom se sentía incomodo de hablar con Mary acerca de ese asunto.
Tom tenía algo de lo que necesitaba conversar con Mary.
Tom ni siquiera ha empezado a estudiar para el examen aún.
Tom es aquel chico sentado cerca de la ventana.
Tom sabía a quién yo estaba tratando de captar para que se uniera a nuestro equipo.
A Tom le gusta quedarse en casa y leer libros los fines de semana.
Tom se comió su entrada con el tenedor de ensaladas por error.
Tom planeaba visitar a Mary a la primera oportunidad que tuviera.
Tom dijo que no sabía por qué a Mary no le gustaba John.
Tom dice que necesita hablar algo con Mary.
Tom estuvo dos meses en la cárcel por conducir borracho.
Tom se baña todas las mañanas antes del desayuno.
Tom le dijo a Mary que probablemente nevaría todo el día.
Tom sacó el jugo de naranja de la heladera.
Tom quiere que Mary compre un nuevo vestido para el banquete.
Tom se sorprendió al ver a Mary en la escuela el domingo.
La operación de Tom iba a costar una pequeña fortuna.
Creemos que fue posible que Tom envenenara a Mary.
Este invierno hemos tenido menos nieve de lo que esperábamos.
Nosotros nos vemos el uno al otro en el supermercado de vez en cuando.
Para cuando llegues, habremos terminado de comer.
¿Cuál es tu propósito principal para que estudies inglés?
¿Cuál es la mejor forma de evitar que bosteces?
Cuando estés enfadado, cuenta hasta cuatro. Cuando estés muy enfadado, maldice.
¿Cuándo fue la última vez que pasaste tiempo en Facebook?
¿Por qué no le has dicho a Tom que debe 300 dólares?
¿Quisiera que lo llevara de regreso a su hotel?
No tienes edad suficiente para ir sola a nadar.
Puedes conseguir el carnet de conducir después de cumplir los dieciocho.
No tienes que agradecer. Estoy para servirte.
Deberías ser más cuidadoso en cómo le hablás a la gente.
No deberías haber salido con mi novia.
"¿Estos son sus libros?" "No, no son mis libros".
Una colección de sus versos acaba de ser publicada.
Una habitación sin libros es como un cuerpo sin alma.
Después de una pausa de diez minutos, continuamos nuestro ensayo.
¿Estás pensando seriamente en conducir la noche entera?
En cuanto llegamos al lago nos pusimos a nadar.
Más vale malo conocido que bueno por conocer.
¿Podemos vernos el veintiocho de febrero, hacia las tres?
China es casi veinticinco veces más grande que Japón.
¿Oíste de la vez que Tom trató de matar a Mary?
¿Piensas que ella no tenga nada que ver con el asunto?
No te preocupes por Tom. Él se puede cuidar por su cuenta.
Aunque hablaba en francés, ellos no entendieron.
Por la cara que lleva, ahora está de mal humor.
¿Alguna vez has intentado dar de comer a tu perro mantequilla de cacahuete?
Él puede nadar más rápido que cualquier otro chico de su clase.
En medio de la discusión se levantó y se fue.
Él va a pasar el fin de semana con su tío.
Él se quitó los zapatos a patadas sin desatarlos primero.
Perdió la visión de un ojo en un accidente de tráfico.
Él le envió algunas flores, además de una bonita tarjeta.
Él iba borracho y olvidó cerrar la puerta trasera.
Él se lleva bien con todos sus compañeros de clase.
Sus bigotes postizos empezaron a despegarse de un lado.
¿Cuántos tipos diferentes de pizza hay en el menú?
Te puedo asegurar que tu honestidad paga a la larga.
No puedo comprar esto porque no tengo bastante dinero.
Ni siquiera sé hervir agua, mucho menos asar un pavo.
No gano dinero suficiente para comprar pilchas regularmente.
No creo que tenga lo que se requiere para ser profesor.
No entiendo por qué ella ya no me quiere.
No quiero pensar en lo que podría haber pasado.
Encontré el diario que mi padre mantuvo por 30 años.
Odio cuando las mujeres dicen que "los hombres son todos iguales".
Mañana planeo llamar a Tom y pedirle que ayude.
Vivo con mi madre, mi hermano y mis abuelos.
Lo hice porque no tenía nada mejor que hacer.
Yo no debería haberle acusado de robar el dinero.
Según yo, deberíamos preguntarle a Tom por qué él dejó su último trabajo.
Pensé que podríamos salir por algo de comer.
Entiendo que te sientas intranquila, pero no te preocupes.
Quiero el nombre de todos los que estuvieron acá ayer.
Me sorprendió oír su voz en la habitación de al lado.
Te daré esta bicicleta como regalo de cumpleaños.
Lo habría hecho si hubiese sabido que era necesario.
Estoy empezando a entender por qué no te gusta Tom.
Ahora voy de camino a conocer a Tom en la estación.
Me han dicho que es una persona muy capaz.
Nunca le dije a nadie que mi padre está preso.
Si a la primera no tienes éxito, inténtalo, inténtalo, inténtalo nuevamente.
Si no hubiera sol, todos los animales estarían muertos.
Si tú haces nuevos amigos, no olvides a los viejos.
¿Es esta la razón por la que no quisiste venir conmigo?
Es anormal tener el corazón en el lado derecho.
Parecía claro que el Senado rechazaría el tratado.
Fue un descuido dejarte la llave del coche puesta.
Es un fuerte construido para defender la ciudad de la invasión.
Es bueno ver que nuestros esfuerzos no fueron en vano.
¡Suelta mi brazo! No soporto que la gente me toque.
Mucha gente piensa que los autos antiguos están sobrevaluados.
Tal vez deberías recordar lo peligroso que es Tom.
Mi abuelo no puede andar sin un bastón.
Mis padres no quieren que tome cerveza todas las noches.
Las estaciones de noticias utilizan helicópteros para reportar el tráfico.
Ninguno de los candidatos obtuvo la mayoría de los votos.
Una tormenta de nieve inusual arruinó nuestro viaje escolar.
La gente habla mucho acerca de las redes sociales estos días.
Deja de comer tan rápido. Deberías comer más despacio.
Asegúrate de que la puerta esté cerrada con llave antes de salir.
Ella me pidió que cuidara a su bebé durante su ausencia.
En estos momentos ella está muy ocupada, no puede hablar contigo.
Ella habla inglés como si fuera su lengua materna.
Ella trató de levantar la caja, pero lo vio imposible.
Ella tuvo el detalle de acompañarme a la estación.
Ella ha tenido problemas de dolor de espalda ya desde hace años.
Le agradezco mucho su carta del 7 de enero.
Por supuesto, eso no quiere decir que ellos tengan razón.
Estados Unidos es abundante en recursos naturales.
La mejor forma de predecir el futuro es inventándolo.
Los edificios fueron afectados por la tormenta anoche.
La constitución del país es muy democrática.
El codo es la articulación entre el brazo y el antebrazo.
Las fiestas siempre acercan más a las personas.
El abogado apeló al sentido de la justicia del jurado.
Los lados opuestos de un paralelogramo son paralelos.
Tom sigue llevando la etiqueta del precio en la camisa que lleva puesta.
El barco llevó cientos de inmigrantes a Estados Unidos.
El profesor me autorizó a irme temprano a casa.
El problema es que ando corto de dinero estos días.
El pueblo está unido con nuestra ciudad a través de un puente.
Esta frase está libre de errores gramaticales.
Hay un castillo en el fondo de esa pintura.
No hay nada que hacer, así que mejor me voy a la cama.
En el parque había muchísimos chicos y chicas.
No hay evidencia de que esta enfermedad sea causada por la dieta.
Ellos ni siquiera sabían como escribir sus propios nombres.
Hay que enviar este artículo a la censura.
Esta tela se estira mucho al lavarla.
Este zumo estaría aún mejor con dos cubitos de hielo.
A decir verdad, no me gusta su forma de hablar.
Tom y Mary van a bailar mañana por la noche.
Tom y María normalmente hablan francés entre ellos.
Tom postuló al puesto, pero no lo obtuvo.
Tom se comió una pieza de pan tostado y se tomó una taza de café.
Tomás le rogó a María para que no le contara a sus padres.
Tom no puede conducir un auto, así que siempre anda en una bicicleta.
Tom no pudo hacer nada hasta mucho más tarde.
Tom no tuvo el coraje para decirle a Mary la verdad.
Tom no parecía interesado en lo que decía Mary.
Tom no sabe con seguridad cuándo llegará María.
Tom duda si Mary acudirá a su fiesta de cumpleaños.
Tom finalmente se dio cuenta de lo que había estado haciendo mal.
Tom le pasó a Mary un cheque por un millón de dólares.
Tom no ha podido contactarse con Mary aún.
Tom está muy por delante del resto de la clase.
Tom le puso llave a la puerta después de entrar a su departamento.
Tom ofreció alimentar a mi gato mientras yo estaba fuera de la ciudad.
Tom dijo que estaba en casa la noche del asesinato.
Tom vendió el collar de Mary a un muy bajo precio.
Tom se quitó el casco y se refregó la frente.
Tom aguardó bajo el árbol hasta que dejó de llover.
Tom tenía hambre, así que le pidió a Mary que cocinara algo.
Tom tratará de convencer a Mary de que acepte tu oferta.
La decisión de casarse de Tom sorprendió a su familia.
Nunca somos tan felices o tan infelices como imaginamos.
En el jardín botánico vimos muchas plantas exóticas.
Pensábamos en preguntarle si no querría unirse a nuestra compañía.
¿Ibas camino a la estación de trenes cuando te vi?
¿Qué debo hacer para encontrar un trabajo adecuado para mí?
Cuando vine a casa, mi hermana estaba tocando la guitarra.
Se va a celebrar el partido tanto si llueve como si no.
¿Quién estaba sentado delante de usted en el cine?
¿Te gustaría que nos fuéramos a tomar una copa en alguna parte?
Puedes hacer una tarta con harina, leche y un huevo.
Me conoces lo suficientemente bien para saber que yo no lo haría.
Necesitas un bate, una pelota y guantes para jugar al béisbol.
Deberías decirle a Tom que Mary no está planeando ir.
Estabas justamente en el lugar equivocado en el momento equivocado.
Hombres y mujeres jóvenes lucharon para defender a su país.
Una consciencia limpia es una señal clara de una mala memoria.
Un grueso cinturón de cuero quedaría bien con ese vestido.
Todos los estudiantes tienen libertad para hacer uso de la biblioteca universitaria.
Adjunte una fotografía reciente a su formulario de solicitud.
¿Puedes llevar este paquete a la oficina de correos?
Curiosamente, una flor floreció en el árbol marchito.
¿Sabes dónde será la reunión de mañana?
No traduzcas inglés a japonés palabra por palabra.
La educación temprana de los niños normalmente empieza en el hogar.
Primero que todo, debes buscarlo en el diccionario.
Alemania es uno de los países más bonitos de Europa.
Andá a despertar a Tom y decile que el desayuno está listo.
Él pidió prestado dinero al banco para comprar una casa nueva.
Él consideró cuidadosamente sus opciones antes de decidirse.
Se escondió en los matorrales para que no lo vieran.
Hizo un montón de dinero estafando a primos ingenuos.
Él le dijo a su madre que estudiaría al día siguiente.
Nació en Inglaterra, pero se educó en América.
Se ha quedado en ese hotel desde hace cinco días.
¿Cómo averiguaste que Tom no había pagado sus cuentas?
Voy a quedarme aquí hasta pasado mañana.
Evito cruzar la calle por aquí si estoy apurado.
No entendí lo que dijo el presidente entonces.
No recuerdo haber visto alguna vez a Tom llevando un bolso rojo.
No entiendo qué trata de decir el autor.
Le di tres libros de texto a cambio de su ayuda.
No tengo tiempo de ordenar mis libros antes de irme.
Solo creo que deberías tener más cuidado, eso es todo.
Realmente desearía poder jugar tenis contigo mañana.
Me quedé en el hotel, pero los demás fueron de shopping.
Creo que es hora de que me haga una nueva dirección de e-mail.
Pensé que Tom ya había hablado con María al respecto.
Pensé que habías dicho que no querías hablar al respecto.
Quiero aprender a sonar más como un nativo.
Esperaba que me dijeras qué querías que yo haga.
Habré terminado el trabajo a las siete de la tarde.
Verdaderamente me gustaría saber por qué él hizo tal cosa.
Nunca había esperado encontrármela en un sitio como ese.
Estoy un poco borracho, creo que debería de dejar de beber ya.
Voy a preparar un poco de ensalada de frutas para todos.
Todavía no estoy seguro, pero creo que voy a hacerme profesor.
He oído que Tom compra cosas en el mercado negro.
Si Tom tuviera problemas de dinero, pienso que nos lo contaría.
Si necesitas algo más, solo tienes que decirme.
Si me lo hubieras dicho antes, me habría disfrazado.
Si quieres ser libre destruye tu televisor.
Los países industriales requieren mucha mano de obra calificada.
Nunca es demasiado tarde para ser lo que pudiste haber sido.
Por qué él dejó la ciudad tan de repente sigue siendo un misterio.
Parece que no hay salida de nuestro predicamento.
Tardó varias semanas para recuperarse del choque.
Fue asombroso ver lo rápido que creció el niño.
Es más importante lo que eres que lo que tienes.
Hace mucho calor. ¿Prendo el acondicionador de aire?
Londres, donde vivo, solía ser famosa por su niebla.
Mary tuvo una experiencia extracorpórea mientras meditaba.
El profesor de la escuela de conducir dice que debería tener más paciencia.
Mi madre paró de coser y recogió el libro.
Terminaré la tarea, sin importar cuánto tarde.
Parece que nadie le prestó atención a lo que él dijo.
Al día siguiente, todos teníamos una resaca tremenda.
Nuestros ancestros llegaron a este país hace 150 años.
Por favor recuerda enviar la carta de camino a casa.
Ella estuvo de acuerdo con él en que yo tenía que ir a la reunión.
Ella le explicó por qué llegó tarde a su fiesta.
Cuando se casó, sin duda ella pasaba de los 30.
Ella quería un trozo de tarta pero ya no quedaba más.
La gente tímida puede desarrollar dependencia a la droga como una defensa.
El corrector ortográfico usualmente cogerá la mayoría de tus errores de mecanografía.
Los británicos tienen mucho respeto a la ley y al orden.
El río Shinano es más largo que cualquier otro de Japón.
La tribu Zulu de Sudáfrica tiene su propia lengua.
El presupuesto está sometido a fluctuaciones debido a la economía.
El policía revisó sus bolsillos, pero no encontró nada.
Las orejas de un conejo son más largas que las de un zorro.
La descripción en el periódico corresponde con él.
La película que vimos anoche fue filmada en Australia.
La Policía detuvo a miembros de dos bandas delictuales.
El príncipe le preguntó a la chica por qué lloraba.
El río subió rápidamente a causa de la lluvia fuerte.
El profesor nos explicó el significado del poema.
La cima de la montaña siempre está cubierta con nieve.
Se ha divulgado mucho el uso de ese tipo de radio.
Hay más de 800.000 hablantes de euskera en el mundo.
Hace dos horas había dos sombreros rojos en esta mesa.
Estas compañías necesitaban equipo y otros suministros.
Ellos no sabían que era imposible, así que lo hicieron.
Deberían tener derecho a decidir por sí mismos.
Esta clase tiene capacidad para solo treinta alumnos.
Esta novela es de lejos más interesante que esa.
Para ser exitoso, debes fijarte un buen plan.
Tom y yo nos pusimos tan cómodos como se podía.
Tom y Mary perdieron sus puestos de trabajo debido a recortes de presupuesto.
Tom llamó a Mary para pedirle ayuda en la venta de pastelitos.
Ciertamente, Tom sabe que Mary está en el hospital.
Tom no podía creer que ya era hora de irse a casa.
Tom criticó a Mary por no hacer correctamente el trabajo.
Tom no le contó a Mary nada en absoluto sobre su plan.
Tom no le tiene que prestar atención a lo que Mary dice.
A Tom no le gusta cuando sucede esta clase de cosas.
Tom hurgó en las cenizas para ver qué podía encontrar.
Tom tuvo que mantener su relación con Mary en secreto.
Tom acaba de instalar un sistema de alarma en su casa.
Tom conoce a una mujer que no le gusta comer chocolate.
Tom se asomó a la cocina a través de la mosquitera.
Tom toca guitarra mejor que cualquier otro que yo conozco.
Tom dijo que había visto a Mary sentada sola en el parque.
Tom piensa que él ama a Mary más de lo que John ama a Alice.
Tom le dijo a Mary que debería avergonzarse de sí misma.
Tom quería pasar el resto de su vida en Estados Unidos.
Tom tan solo estaba en el lugar equivocado a la hora equivocada.
Tom estaba en pijamas cuando abrió la puerta.
El sueño de Tom es viajar por el mundo con Mary.
Disfrutamos de la brisa fresca que provenía del río.
A menudo nos cruzamos con turistas japoneses en este sector.
Lo que Tom verdaderamente quería era un emparedado de mantequilla de maní.
Lo que acabás de decir me recuerda a un viejo refrán.
Cuando él regresó a casa, los chicos ya se habían dormido.
Cuando viajas al extranjero, normalmente necesitas el pasaporte.
Ella perdió la llave de su consigna mientras nadaba en la piscina.
¿Por qué no vemos si Tom quiere jugar cartas con nosotros?
Tom es muy alto, así que lo identificarás enseguida.
No me dijiste que había una reunión esta mañana.
No debes pensar solo en la recompensa inmediata.
Tu no eres más experto que yo en este trabajo.
Una mujer tan hermosa como tú no debería comer sola.
Un deporte de invierno con el que mucha gente disfruta es el patinaje.
Después de leer la carta, la rompió en pedacitos.
A pesar de ser muy viejo, mi coche todavía va muy bien.
Aquí las calles están desiertas a partir de las siete.
Tan pronto como llegues, él va a hacer algo de comer.
Para cuando salgas de la cárcel, ella va a estar casada.
¿Podrías decirme nuevamente dónde pusiste la llave, por favor?
¿Tom te habló de sus planes para el próximo fin de semana?
¿Crees que podrías enseñarme a tocar la gaita?
Los jefes esperan que sus empleados rindan un 110 %.
Será fácil acabar este trabajo antes del martes.
¿Alguna vez has caminado a través de un cementerio a medianoche?
No dudó en coger su parte del dinero.
Ocultó sus sentimientos y fingió estar entusiasmado.
Él andaba tan deprisa que ella no podía seguirle el ritmo.
Él no es muy buen escritor, y creo que lo sabe.
Su hermano había sido camionero durante treinta años.
¿Cómo consiguió Tom perder tanto peso tan pronto?
No voy a salir porque tengo que limpiar la casa.
No llego a averiguar cómo se registra un nuevo nombre de dominio.
Vi a un viejo amigo mío entre la multitud.
No tengo mucho dinero, pero me las arreglo de una forma u otra.
No quiero pensar en lo que podría haber pasado.
Había olvidado que hace varios años atrás la había conocido.
Escuché que tus dos abuelos eran fontaneros.
Conozco a alguien que puede estar interesado en tu proyecto.
Me agrada la ubicación de los muebles en esta sala.
Mañana planeo llamar a Tom y pedirle que ayude.
Garabateé su dirección en el dorso de mi diario.
Creo que es hora de que me mude a una casa más pequeña.
Pensé que podría ser cocaína, pero solo era harina.
Me aproveché de unas rebajas y compré tres jerséis.
Quiero coger un buen sitio, así que planeo llegar pronto.
Nací en Tokio el ocho de enero de 1950.
Me pregunto si ella aceptará un regalo de cumpleaños retrasado.
Me gustaría hablar con vos cuando tengas un tiempo libre.
Me vuelvo a Boston, ya me he hartado de Chicago.
Espero con ganas verte en tu vestido de bodas.
Estoy tan cansada que no tengo ganas de estudiar esta noche.
Si voy a la fiesta llevaré algunas botellas de vino.
Si vas a dar una fiesta, cuenta conmigo por favor.
Si de verdad querés hablar conmigo, es ahora o nunca.
Por la noche, yo ceno en casa con mi familia.
No importa qué juego juegue, él siempre gana.
No es porque le odie, sino porque le amo.
Parece que él tiene algo que ver con el asunto.
No fue hasta esta mañana que dejó de llover.
Han pasado seis años desde que empecé a estudiar inglés.
No es como si yo hubiera leído todos los libros en la repisa.
José se mostró como una persona de mal carácter.
Déjame leer el periódico cuando hayas terminado con él.
María dice siempre que Tom no es lo suficientemente romántico.
La minería es una de las principales fuentes de riqueza en Chile.
Mi padre se ha sentido bien desde la operación.
La batería de mi portátil no dura tanto como antes.
Nadie está trabajando. Todos están viendo la Copa del Mundo.
De vez en cuando, él deja su paraguas en el tren.
Elige un trabajo que te divierta y trabajar te parecerá fácil.
Prácticamente cada sujeto en el bar estaba mirando a María.
Rasputin tenía a toda la corte de Rusia bajo su hechizo.
Ella rompió el plato a propósito solo para mostrar su rabia.
Toma algunas galletas para calmar el hambre hasta la cena.
Ella se acercó a él y le preguntó cómo se llamaba.
Como había trabajado más de lo usual, se sentía cansado.
Se habla español en la mayoría de los países sudamericanos.
Dime algo importante que hayas aprendido este fin de semana.
Eso no es algo en lo que quiera pensar ahora.
El muchacho se cayó de la bicicleta y se fracturó el cráneo.
Se incendió la chimenea y se quemó toda la casa.
El perro esperaba día tras día el regreso de su amo.
El juez le condenó a cinco años de prisión.
Los escaladores alcanzaron la cima antes que cayera la noche.
La única pregunta ahora es ¿cómo vamos a llegar a casa?
El príncipe se enamoró de la hija de un leñador.
La nieve era tan densa que no podíamos ver nada frente a nosotros.
El atasco causó que llegara tarde a la reunión.
El hombre del tiempo dice que tendremos lluvia por la tarde.
Hay pocas chances de que ella salga electa.
Hay alguien en la puerta que quiere hablar con vos.
Dejaron de hablar tan pronto como entré en la habitación.
El ascensor está estropeado. Por favor, utilicen las escaleras.
Para comenzar, esa clase de trabajo es muy ardua para mí.
Tom siempre se pone nervioso justo antes de salir al escenario.
Tom y María se enamoraron y decidieron casarse.
Tom vino a Boston tras terminar el instituto.
Tom no pudo persuadir a Mary para que le comprase un regalo a John.
Tom hizo lo que pudo por Mary, pero no fue suficiente.
Cuando era más joven, Tom no veía mucho la televisión.
Tom no quiere comprar nada para el cumpleaños de Mary.
Tom se montó en su coche, cerró la puerta y se alejó.
Tom no se ha comprado un nuevo par de zapatos en tres años.
Tom está teniendo problemas para enfrentar el suicidio de su hijo.
Tom dejó muy claro lo que no quería que hiciéramos.
Tom se quedó sin fósforos así que no pudo prender el fuego.
Tom pasó la noche en una pequeña cabaña cerca del lago.
Tom le dijo a Mary que no debería ir allí sola.
Tom caminó tan rápido como pudo para alcanzar a Mary.
Tom fue el único que no se rió del chiste de María.
Tom todavía estaría vivo si hubiese sido más cuidadoso.
Todos lloramos por la gente que perdió la vida en el accidente.
Debemos investigar la desaparición de aquel médico.
Esperamos en el cine a que empezara la película.
¿Cuál es la primera novela que se escribió en japonés?
Cuando me la encontré el otro día, me preguntó por mis padres.
¿Cuándo fue la última vez que le diste flores a tu esposa?
¿Por qué no te probaste el vestido antes de comprarlo?
¿Te gustaría participar en este arriesgado experimento?
No me puedes forzar a hacer algo que yo no quiera.
No debes ver a la vida de forma tan pesimista.
Pagas por la comodidad de vivir cerca de una estación.
No deberías confiar demasiado en el pronóstico del tiempo.
"No me esperes." "No te iba a esperar."
Una repentina enfermedad la forzó a cancelar su cita.
Desde que estoy aquí, se me ha ensuciado toda la ropa.
Tan pronto como llegues, ella va a hacer algo de comer.
Además del piano, ¿sabes tocar otros instrumentos?
¿Puedes cogerme los apuntes durante la charla del profesor?
La gente sordomuda puede comunicarse mediante la lengua de signos.
¿Necesitas que te compre algo en el supermercado?
No desprecies a alguien solo porque vaya vestido humildemente.
Aún cuando estaba lloviendo, ellos fueron de excursión.
Disculpe, ¿podría decirme cómo llegar a Central Park?
El genio hace lo que debe y el talento lo que puede.
Él se golpeó la cabeza contra una estantería y se hizo un gran chichón.
Él delegó su autoridad en su cualificado asistente.
Él leyó la carta, con lágrimas deslizándose por sus mejillas.
Salió a dar un paseo, con su perro siguiéndole.
¿Cuántas veces por minuto parpadea de media una persona?
Comencé a estudiar francés cuando tenía trece años.
No me puedo creer que vayas a pedirle a Mary que se case contigo.
No me puedo acordar de su dirección por más que trate.
No pude nadar tan bien como los otros chicos de mi clase.
No sé cuánto va a durar esta situación.
No quiero lastimar a Tom más de lo que ya lo lastimé.
Cogí de la mano a mi hermana pequeña y eché a correr.
Tengo la sensación de que falta algo en mi vida.
Simplemente no sé por qué Tom no quiere que le ayude.
Ocupé cada oportunidad para mejorar mi inglés.
Creo que es altamente improbable que Tom vaya a jugar bolos.
Pensé que Tom al menos comprendería la situación.
Quiero escribirle una carta de amor en francés a mi novia.
Ojalá pudiera comerme un poco de helado de chocolate ahora mismo.
Iría a la biblioteca si tuviera un auto para llegar allí.
Quisiera alquilar el coche más barato que tenga por una semana.
Me temo que tendrás que aprender a vivir con el dolor.
Tengo un presentimiento de que algo quizás podría ocurrir esta noche.
Si me hubiera insultado, le habría dado un empujón.
Si comieras menos hamburguesas, probablemente estarías más sano.
Si no quieres ir ahí, entonces nosotros no iremos ahí.
Si realmente quieres saber, todo lo que tienes que hacer es preguntar.
Si tu hijo bebe veneno, llévalo rápidamente al hospital.
A mi parecer las imágenes hablan por sí solas.
Tardará tres meses antes de que nuestra casa esté lista.
John volvió al trabajo después de estar hospitalizado dos semanas.
Muchos tipos de flores salen en la mitad de Abril.
Mary dijo que me amaba, pero no le creí.
Mi madre insiste en que no salga después de que oscurezca.
A mi hermano menor lo crió nuestra abuela.
Nada de lo que hemos hecho hoy ha salido como lo planeamos.
Tal vez deberíamos ir a Boston la próxima semana a visitar a Tom.
Por favor reemplace el cartucho de tinta vacío de la impresora.
Vista a lo lejos, la roca se parecía a un rostro humano.
Ella no vino a la fiesta, pero nadie sabe por qué.
Tuvo que estudiar mucho para ponerse al día con sus compañeros de clase.
Ella parecía como si me hubiera visto de alguna parte antes.
Ella lo visita muy a menudo, pero nunca se queda por mucho tiempo.
Algunas personas ven una conspiración detrás de casi cualquier cosa.
Alguien que sabe bien inglés debió haberlo escrito.
Esa es la cosa más importante que he aprendido de ti.
La cama en la que dormí ayer no era muy confortable.
La catapulta arrojó la roca hasta los muros del castillo.
La fábrica produce miles de botellas al mes.
El secuestrador pidió un rescate de dos millones de dólares.
La nueva ley debería eliminar algo del crimen organizado.
El viejo profesor empezó a hablar de los buenos días ya lejanos.
El policía culpó al taxista por el accidente.
El resultado de las elecciones será dado a conocer mañana.
El profesor llamaba a los alumnos por orden alfabético.
El mundo comenzó sin el hombre, y así terminará.
No tiene sentido llorar por ayuda. Nadie te oirá.
Hay algo que te necesito decir antes de que te vayas.
No querían pasar mucho rato hablando de ello.
Ellos fueron a Edimburgo para escapar del calor del verano.
Esto es considerado un asunto de gran importancia.
Esta misión es ultra secreta y sumamente peligrosa.
Tom solicitó una tarjeta de crédito, pero se la rechazaron.
Tom cogió a Mary robando dinero de la caja registradora.
Tom decidió no decirle a María nada de lo que Juan había hecho.
Tom no tiene la suficiente experiencia como para operar un tren.
Tom no cree que Mary hiciera lo que dijiste que hizo.
Tom le encontró a Mary un trabajo no demasiado lejos de donde ella vive.
Tom le ha pedido a María que lo vea en su oficina mañana.
Tom está corriendo el riesgo de meterse en problemas.
Tom necesitaba a alguien con el que poder hablar de sus problemas.
Tom dijo que quería olvidar lo que había pasado.
Tom empezó a leer libros de autoayuda después de su divorcio.
Tom cree que es imposible que Mary rompa el récord.
Tomás trató de parar la pelea entre María y Juan.
Tom quiere saber por qué ya no trabajas aquí.
Tom fue visto robando manzanas del árbol del vecino.
Tom no le va a dar a María el mensaje que le pediste que le diera.
El clima cálido y húmedo hace que aumente el número de delitos.
No sabemos por qué hay más materia que antimateria.
Queremos contratar a alguien que hable un francés fluido.
¿Cuál es la diferencia entre religión y filosofía?
¿Qué cable debería cortar? ¿el rojo o el blanco?
Con tu aprobación me gustaría ofrecerle el trabajo.
¿Preferiríais tomaros una taza de café o una de té?
Debería atar el perro para que no muerda.
No deberías decirle nada acerca de tu polola.
Tu tío y yo nos conocemos desde hace muchos años.
Según las noticias en televisión, hubo un accidente de avión en India.
El cielo se oscureció de repente y se puso a llover.
Una función importante de los policías es el atrapar a los ladrones.
¿Estás seguro de que no quieres algo un poco más pequeño?
En cuanto el niño vio a su madre, dejó de llorar.
Asegúrate de mandarnos una nota tan pronto llegues a Londres.
¿Puedes distinguir la diferencia entre estas dos imágenes?
¿Has recibido un regalo de Navidad de Tom este año?
¿Piensas que comer con tu familia es importante?
Debido al mal tiempo, el avión se retrasó diez minutos.
Todos en el parque miraron hacia arriba al globo de aire caliente.
En general los coches japoneses son populares en el extranjero.
Se contradijo varias veces en su declaración.
Miraba a uno y a otro procurando una respuesta.
Él le dio un beso de despedida y se marchó, y no se le volvió a ver.
Él se instaló en su silla a escuchar la música.
Escribió sus comentarios al margen de la redacción.
Este es un presente como muestra de nuestro agradecimiento.
¿Cómo es que sabes tanto sobre la historia de Japón?
Siempre traté de ser estricto con ellos y no sonreír.
No puedo vivir sin ti. Eres la única mujer para mí.
No sé lo que sepa Tom, pero Tom sabe lo que sé yo.
Me perdí, y para colmo empezó a llover.
Yo sé que es muy improbable que cualquiera me conozca.
Perdí el último autobús y tuve que caminar bajo la lluvia hasta casa.
Creo sinceramente que la imaginación humana no tiene límites.
Pienso que ella está ocultando información a la policía.
Yo solía soñar con ser capaz de respirar bajo el agua.
Quiero hacer lo que solía hacer antes de ir a la cárcel.
Habré leído "Hamlet" tres veces si lo leo otra vez.
Me gustaría venir a ver al doctor tan pronto como sea posible.
Me alegro de no haber comido lo mismo que tú.
No estoy seguro de que mis padres quisieran que te diera eso.
Nunca he conocido a una persona que me cayera mal directamente.
Si no fuera por el aire, no podríamos vivir en la Tierra.
Si a una lagartija le cortas la cola, le crece de nuevo.
Si hubieras estado atento, esto no hubiera pasado.
En el año 2012 habrá autos voladores por doquier.
Cada vez está más difícil ganarse la vida.
Sería mejor que obedecieras las órdenes del doctor.
Hacer amigos es fácil, pero es difícil deshacerse de ellos.
Tan sólo el otro día, Tom y Mary vinieron de visita.
El amor es como el sarampión. Todos debemos pasar por el.
María levantó el colchón para cambiar las sábanas.
Mi padre nos compró esta casa cuando nos casamos.
Mi mamá saboreó la sopa y le puso un poco más de sal.
En lugares en construcción se debe llevar casco en todo momento.
Nuestro consejo es que la empresa invierta en nuevo equipamiento.
La gente cuenta muchas cosas que no son muy ciertas.
Multitudes de gente se reunieron en frente del Palacio Real.
Ella pretendía retirar todos sus ahorros del banco.
Ella debía de ser muy joven cuando escribió este poema.
Ella estuvo inconsciente durante todo el día que siguió al accidente.
La pregunta fue tan difícil que nadie pudo responderla.
Habla más fuerte, la audición de tu abuelo no es muy buena.
Al ser cogido por sorpresa, no se me ocurrió nada que decir.
El presidente de EE.UU. fue de visita oficial a China.
El clima de Nueva Zelanda es similar al de Japón.
El doctor le dijo a Tom que necesitaba perder algo de peso.
El hombre la atacó con intención de matarla.
La nueva ley ha despojado a los ciudadanos de su libertad.
La única cosa que sé con seguridad es que existo.
La radio está muy fuerte. ¿Puedes bajarle un poquito?
El sol es aproximadamente un millón de veces más grande que la tierra.
Hay aproximadamente 80 diferentes clases de árboles de mangle.
Queda un poco de vino en el fondo del vaso.
No hay evidencia de que Tom haya hecho nada ilegal.
Lo detuvieron por unas horas y luego lo dejaron ir.
Ellos están bajando las luces. El juego está a punto de comenzar.
Esta es la primera vez que he escrito algo en francés.
Tom aceptó la invitación de María de cenar con ella.
Tom le preguntó a Mary si se había divertido en la fiesta.
Tom se pone nervioso cada vez que tiene que hablar en público.
Seguro que Tom es consciente de lo que ocurrió aquí ayer.
Tom cortó la torta con un cuchillo nuevo que Mary le había regalado.
Tom no tiene que bailar con Mary a menos que quiera.
Tom no cree que nada malo vaya a ocurrir.
Tom tenía varias fotos de Mary que John le había dado.
Tom siempre está tratando de hacer que todos piensen que es genial.
Tom besó a Mary en la mejilla y después se subió a su coche.
Tom hizo una cita para ver a Mary al día siguiente.
Tom dice que no le importa comer después de que los niños coman.
Tom pensó que sería peligroso que Mary fuera por sí sola.
Tom quería darle un beso de despedida a Mary, pero sabía que no debería.
Tom era el único sin suficiente dinero para el viaje.
Tom probablemente le dirá a Mary que no mire por la ventana.
Hace dos semanas atrás visité Disneylandia por primera vez.
Discutimos nuestros planes para un viaje a Italia durante el café.
Nos estamos distanciando del resto de la familia.
¿Qué te hace pensar que Tom planea resignar?
Cuando se hizo monja tomó el nombre de "hermana Teresa".
¿Cuál quieres primero, la buena noticia o la mala?
¿Esta tarde prefieres ir a navegar o a nadar?
Sería mejor que vieras a un médico; puede que no sea solo un resfriado.
¡Tienes que estar loco para andar en una bicicleta que no tiene frenos!
Si tienes ocasión, deberías ver la película.
400.000 galones de aceite se derramaron fuera de la tubería.
Una persona adicta al trabajo es llamada ergomaníaca.
Después de aprobar el examen de conducir, se compró un coche.
Cualquier profesor que pueda ser reemplazado por una máquina debería serlo.
Al principio no me gustó, pero de poco a poco se volvió divertido.
Colón dijo que podría llegar a la India yendo hacia el oeste.
¿Viste la puesta de sol hace un rato? Fue realmente hermosa.
¿Todavía confías en él después de que haya roto su promesa dos veces?
No comas de este plato y no bebas de esa taza.
Experiencia es el nombre que todo el mundo le da a sus errores.
Por ahora él se hospeda en un hotel cercano.
Él siempre planea una cosa cuidadosamente antes de hacerla.
No quiere admitir que tiene problemas con la bebida.
Todavía no ha venido. Puede que le haya pasado algo.
Dijo que correría 200 kilómetros en un día y lo hizo.
Él iba a aceptar la oferta, pero se lo pensó mejor.
Aquí tienes una lista de las personas que quiero invitar a nuestra boda.
Siempre confundo qué lado es babor y qué lado estribor.
Lamento cancelar la cita a última hora.
Asumí que podía confiar en ti porque somos hermanos.
Hice eso, no porque quisiera, sino porque tenía que hacerlo.
No siento nada más que desprecio por semejante conducta deshonesta.
Yo oí que el pasto en Inglaterra es verde incluso en el invierno.
Espero que no hayamos estado angustiados con esta decisión para nada.
Me encontré con mi profesor por casualidad en el restaurante ayer por la noche.
Lo vi anoche en el bar y estaba muy borracho.
Creo que prefiero comer arroz blanco que arroz integral.
Me pareció que fue un error ir a hablar con Tom acerca de eso.
Di por supuesto que acudirías a la reunión.
Quiero vivir en un mundo donde las personas se amen los unos a los otros.
Tenía curiosidad por saber por qué me miraba la gente.
Me preguntaba por qué Tom parecía no disfrutar pescando con nosotros.
Lo hago porque no tengo nada mejor que hacer.
Si Tom planeaba casarse, me lo hubiera dicho
Si me sigues, te mostraré el camino al hospital.
En verano el sol sale alrededor de las 4 a.m. en Inglaterra.
No importa si su respuesta es correcta o errónea.
No es de asombrarse que un hombre con sus capacidades sea exitoso.
Fue ayer que lo vi caminando por la calle.
No te sería muy difícil diseñar un nuevo sitio web.
Es difícil ayudar a la gente que no quiere tu ayuda.
La vida es muy corta, no deberías desperdiciar tu tiempo.
Mamá esta en cama desde finales del mes pasado por enfermedad.
Mi madre tiene licencia de conducir, pero no conduce.
Nadie se dio cuenta de su ausencia hasta que el encuentro terminó.
Nuestra compañía quiere tomar parte en ese proyecto de investigación.
Los santos siempre son representados con una aureola sobre la cabeza.
Ella no paraba de quejarse de que no quedaba dinero.
Miró su reloj y se dio cuenta de que eran más de las cinco.
Ella le dice que le dé todo su sueldo y él lo hace.
Llegará a Tokio a principios del mes que viene.
A veces fumo sólo para darles a mis manos algo que hacer.
Esa compañía lo está haciendo muy bien en términos de ventas totales.
Hacía tanto ruido en el salón que no oí mi nombre.
El doctor sabía manejar situaciones de emergencia como ésta.
El gobierno está decidido a poner fin al terrorismo.
El único sonido que se oía fue el tictac del reloj.
La población de Shangai es tan grande como la de Tokio.
A los estudiantes el examen final les pareció muy fácil.
El tren ya se había ido cuando ellos llegaron a la estación.
La joven quería ser una estrella de cine.
Aquí solía haber una villa antes de que construyeran la presa.
No hay nada más rico que una cazuela de mariscos.
Dijeron que fue una clara violación de la ley internacional.
Este libro de cocina tiene recetas para cualquier ocasión que puedas imaginar.
Hay que arreglar este reloj. Se adelanta veinte minutos en un día.
Tom siempre se porta bien. Sin embargo, Mary no.
Tom y Mary se miraron mutuamente y luego volvieron la vista a John.
Tom le preguntó a Mary qué había comprado en la joyería.
Tom trató de persuadir a María para ir a la iglesia con él.
Ciertamente Tom no merecía el castigo que recibió.
No es posible que Tom pudiera hacer lo que tú alegabas que él hizo.
Tom no sabía la razón de por qué Mary no podía ir a jugar bolos.
Tom no parece querer tener nada que ver conmigo.
Tom encontró un buen restaurante no tan lejos de nuestro campus.
Tom nos ha estado enseñando francés por los últimos cuatro años.
Tom aprendió a aceptar el amor que le daban sus padrastros.
Tom quizá se hubiera comido el estofado si hubiera estado menos salado.
Tom puso todo su dinero en una caja y la escondió debajo de su cama.
Tom dijo que nada de eso volverá a ocurrir.
Tom le dijo a la policía que él no había visto nada sospechoso.
Tom estaba a punto de colgar cuando oyó gritar a Mary.
Tom le escribió una carta de amor a Mary, pero ella no la leyó.
Llevábamos un mapa en caso de que nos perdiéramos.
Tenemos que entregar nuestros informes antes de final de mes.
¡Qué coche tan bonito tienes! Tienes que haber pagado un montón por él.
¿Cuál es tu lugar preferido para ir cuando querés pensar?
¿Cuándo fue la última vez que oíste a Tom hablar acerca de María?
Con sólo un poco más de esfuerzo, hubiéramos triunfado.
No tienes que convencerme a mí. Tienes que convencer a Tom.
Debes tomarte esta medicina, tanto si te gusta como si no.
Habrás estudiado inglés por cuatro años el próximo marzo.
Tu madre debe haber sido hermosa cuando joven.
No siempre se puede ser héroe, pero siempre se puede ser hombre.
Un viaje a la luna en una nave espacial ya no es un sueño.
Solo tienes que pulsar este botón para sacar una foto.
La artritis es una enfermedad dolorosa que afecta a las articulaciones.
Debido a la abundante lluvia, nos vimos obligados a permanecer allí.
Comparado con Estados Unidos o China, Japón es un país pequeño.
Que no se te olvide apagar la luz antes de irte a acostar.
¿Crees que eres capaz de pasar un par de minutos sola con Tom?
¿No crees que deberías escribirles una nota de agradecimiento?
Incluso cuando ella no lleva maquillaje, es muy hermosa.
¿Has visitado alguna vez la oficina en la que trabaja tu padre?
Él tiene muchos sellos extranjeros, sin mencionar los japoneses.
Recuperó la conciencia tres horas después del accidente.
Él no se desalentará con facilidad, porque es un tipo duro.
¿Cuánto tiempo lleva caminar desde aquí hasta la municipalidad?
Asumo que te refieres a lo que pasó aquí recientemente.
En efecto, no puedo estar seguro de que Tom no haya tomado el dinero.
No te culpo por el accidente. No fue culpa tuya.
Me levanté a las cuatro, comí algo y me volví a dormir.
Jamás imaginé que yo podría dar un concierto en Boston.
No debería haber usado la palabra "contraseña" como contraseña.
Creo que es peligroso que los niños naden en este lago.
Pensé en pasarme a verte antes de irme a Boston.
Quería atrapar al pájaro, pero resultó muy difícil.
Me gustaría echar un vistazo a tu colección de sellos.
Me encargaré de que usted obtenga un aumento después del primer año.
Espero con ganas a visitar a mi hermana a Los Ángeles.
He pasado demasiado tiempo pensando sobre este problema.
Si no fuese por la música, el mundo sería un lugar aburrido.
Si hay algo urgente, puedes ponerte en contacto conmigo.
Si suspendes este examen, tendrás que repetir curso.
En 11 horas, llegaremos a San Francisco sobre las 7.30.
Los indígenas australianos han comido canguros durante milenios.
Se puso celosa al verle andando con otra chica.
Fue una de las experiencias más increíbles de mi vida.
Es la gravedad la que hace que los satélites se muevan alrededor de la Tierra.
Es verdad que es divertido, pero al mismo tiempo da miedo.
Usos y costumbres varían mucho de un país a otro.
Mamá quiere ir allí, pero papá quiere ver la tele en casa.
Mi tío fue el único que salió afectado en el accidente automovilístico.
Ella se puso a llorar tan pronto entró a su cuarto.
La fabricación de papel fue durante mucho tiempo, un secreto de Estado.
Por favor, devuelve el libro cuando hayas terminado de leerlo.
Ella lo agarró de la mano y lo tiró dentro del bote.
Ella dijo que volvería, lo cual era mentira.
Ella fue a la escuela a pesar del dolor que sentía en su pierna derecha.
Algunas personas leen el diario mientras miran tv.
Dime la razón por la que te ausentaste de la escuela ayer.
Los ingleses derrotaron a los franceses en Norteamérica en 1763.
La niña adoptada vivió una vida feliz con su nueva familia.
La multitud se salió de control y pasó por sobre la cerca.
Los primeros colonos americanos llegaron en el siglo diecisiete.
La única vez en que me hablas es cuando necesitas dinero.
La población de Nueva York es menor que la de Tokyo.
La habitación en la que me encerraron los secuestradores no tenía ventanas.
Los alumnos no se acordaron de lo que leyeron en ese libro.
Los dos corredores llegaron a la línea de meta al mismo tiempo.
Había dos pasteles. Me comí uno y luego me comí el otro.
Hay algo sobre lo que quería hablarte.
Dicen que una mirada vale más que mil palabras.
Esta es una historia tan interesante que nunca la olvidaré.
Esta fue una mala semana. Mi tren lleguó atrasado dos veces seguidas.
A decir verdad, esto es un poco demasiado picante para mí.
Tom pidió a Mary que ayudase a John con sus deberes.
Tom atrapó un mosquito entre su pulgar y su índice.
Tom no parecía comprender el propósito del proyecto.
Tom no entiende por qué Mary se comporta de la manera que lo hace.
Tom no esperaba que María viniera tan temprano por la mañana.
Tom espera heredar mucho dinero cuando su madre muera.
Tom miró a su alrededor para asegurarse de que nadie le estuviera mirando.
Tom sólo tenía un tenue recuerdo de cómo era María.
Tom barría el piso de la cocina, mientras Mary lavaba los platos.
Tom sacó una foto del coche nuevo de Mary y se la envió a John.
Tom fue el primero en reconocer el don para la música de María.
Nos llegamos a conocer bien en un viaje reciente.
Escuchamos atentamente para no perdernos ni una palabra.
Nos gustaría visitar a Nikko durante estas vacaciones de verano.
¿Qué importa cómo ellos críen a sus hijos?
Lo que querés y lo que necesitás son dos cosas distintas.
Cuando llegaron a la estación, el tren ya se había ido.
¿Quién piensas que estaba viendo la televisión en esta habitación ayer por la noche?
Puedes ahorrarte el aliento. No tiene caso hablar con él.
Tienes que decidir si vas a ir en tren o en avión.
Te sorprendería el número de estudiantes que acabaron los deberes.
"¿Cómo te sientes esta mañana?" "Bastante bien, gracias."
Un amigo mío está buscando a alguien que sepa hablar francés.
De repente se cortó toda comunicación con el avión.
Como todos saben, el día de hoy es un día muy importante para nosotros.
Benjamín Franklin fue un político e inventor estadounidense.
¿Sabes cuantos años llevan casados Tom and Mary?
Aún cuando estaba lloviendo, ellos fueron de excursión.
La felicidad no es el objetivo, si no que el camino.
Dejó de viajar al extranjero por causa de una enfermedad repentina.
De repente se le ocurrió una buena idea mientras estaba dándose un baño.
Sus ideas son demasiado radicales para que les resulten aceptables a la mayoría de la gente.
A menudo oigo a las palomas arrullar desde la ventana de mi habitación
No podía dejar que te enfrentaras al peligro solo.
No sé cuánto se tarda en llegar a Boston desde aquí.
No quiero que Tom esté en la habitación mientras estoy al teléfono.
Me olvidé de apagar la televisión antes de ir a dormir.
Tengo la sensación de que a Tom no le gusta tanto Mary.
Espero que hayas lavado esa manzana antes de empezar a comerla.
Me agrada él, pero al mismo tiempo no confío realmente en él.
Yo en realidad no entiendo a que viene toda la conmoción.
Yo pienso que tú y Tom son más parecidos de lo que quieres admitir.
Quiero averiguar el origen de este irresponsable rumor.
Fui capaz de terminar el trabajo antes de lo que había esperado.
Me pregunto si me prestará la guitarra durante las vacaciones.
Estaría mintiendo si dijera que no he pensado en hacerlo.
Le espero mañana a menos que usted me avise.
Lamento no haber podido verte cuando pasaste por acá hoy.
Si fuera a llover mañana, el juego se pospondría.
Si quieres que me ponga esas botas, me pondré esas botas.
Al aceptar el dinero, perdió el respeto de la gente.
A pesar de ser peligroso, el montañismo es muy popular.
No es muy varonil hablar mal de los otros detrás de sus espaldas.
Japón le declaró la guerra a Estados Unidos en diciembre del 1941.
Mali es uno de los países más pobres de África subsahariana.
María quería terminar de preparar el desayuno antes de que Tom despertara.
A mi hermana pequeña no le gusta el sabor del queso fresco.
Nunca elijas una nueva vocación sólo porque estás inquieto.
No solo se negó a ayudarme, sino que además me regañó.
Por supuesto, muchos ciudadanos de la tercera edad son felices con el retiro.
Nuestro televisor lleva averiado más de una semana.
Los planes para una nueva zona de libre comercio todavía están en el borrador.
Por favor, asegúrese de que su cinturón de seguridad está bien puesto.
Ella sabía que si empezaba a llorar se le correría el rímel.
Los préstamos del seis porciento representan el promedio de la industria ahora.
San Pablo es el mayor productor de huevos del país.
El equipo japonés ganó la medalla de oro de esa competencia.
El médico le dijo a Tom que necesita comer una dieta más balanceada.
El incremento de la delincuencia juvenil es un problema grave.
Cuanto más sabe un hombre, más descubre su ignorancia.
El asunto de su propuesta está en consideración.
Para la hora que era, el supermercado estaba relativamente vacío.
El accidente de tráfico me impidió alcanzar el tren.
Quedaba un poco de agua al fondo de la botella.
Ellos realizaron un experimento para ver si el medicamento mejoraba la memoria.
Este es el primer tomo de una serie sobre la filosofía moderna.
Tres meses es poco tiempo para terminar el experimento.
Tom admitió que fue quien se dejó las ventanas sin bloquear.
Tom y María van al colegio juntos casi todas las mañanas.
Tom sorprendió a Mary robando su dinero de la caja registradora.
Tom decidió no salir de casa hasta ser un poco mayor.
Tom todavía no tiene suficiente dinero como para comprar el coche que él quiere.
Tom tiene reputación de nunca dejar las cosas listas a tiempo.
Tom está deseando ver a Mary este fin de semana.
Tom hizo una reserva por tres días en el Hotel Hilton.
Tom apuntó a una de las fotos y dijo: "¿Quién es ese?"
Tom corrió tan rápido como pudo para escapar del oso furioso.
Tom pensó que la comida que Mary había preparado sabía muy bien.
Tom estaba conmocionado por oír que Mary había entrado en Harvard.
¿Este muro se construyó para mantener a la gente fuera o para mantenerla dentro?
Tenemos que acordarnos de recoger a Tom en la estación a las 2:30.
Vamos a invitar a Tom y a Mary a nuestra fiesta de noche de brujas.
¿Cuáles son aquellos alimentos que puedes consumir para bajar el colesterol?
Cuando llegué a la estación, el tren ya se había ido.
Vi un accidente de tránsito mientras esperaba al bus.
Hace años, ella solía juntarse con una panda de moteros.
No te enamoras de alguien porque es perfecto.
Deberías trancar todas las puertas o al menos cerrarlas.
"Según mi opinión", dijo el hermano menor, "tú estás equivocado".
Un pasajero se desmayó, pero la azafata lo reanimó.
El alcohol no soluciona nada, pero la leche tampoco.
¿Estás seguro que no querés que te lleve al hospital?
Quemar la basura tan cerca de la casa no fue una buena idea.
La vida en el campo es muy pacífica comparada con la vida en la ciudad.
¿Crees que nuestro clima influye en nuestro carácter?
Hasta los expertos tomaron la pintura por un Rembrandt genuino.
Él hizo todo lo que pudo por el bien de sus hijos.
Él perdió su posición sólo porque se negó a decir una mentira.
Él aprovechó el buen clima para hacer jardinería.
Él trabaja para un periódico grande con una gran tirada.
¿Cuántas habitaciones hay en el segundo piso de tu casa?
No puedo hacerlo porque no tengo suficiente dinero.
No tengo dinero y tampoco tengo amigos.
Me siento aliviado después de haber dicho todo lo que quería decir.
Tengo que organizar mi horario antes de fin de mes.
Sé que no podrás hacer eso sin ayuda.
Necesito tiempo para reflexionar las cosas antes de decidir lo que hacer.
Debería estar estudiando inglés, pero prefiero ver una película.
Creo que eres la mujer que he estado esperando toda mi vida.
Esperé a mi amigo durante media hora, pero no apareció.
Quería una llave de la casa de Tom, pero él no me daba una.
Me pregunto si este año caerá más nieve que el año pasado.
Me gustaría que limpiaras este cuarto antes de que vuelva.
Tengo curiosidad de saber por qué quitaron mi nombre de la lista.
Si las personas no fueran tan groseras, tal vez todos estaríamos mejor.
Si va usted en avión no podrá llevar mucho equipaje.
En los Estados Unidos tiene lugar cada diez años un censo.
¿Es correcto que un médico decida cuándo debería morir alguien?
Era evidente que él no etendió lo que yo había dicho.
Es tan difícil que he decidido dar por vencido mis intentos.
La vida es todo aquello que nos pasa mientras uno está ocupado con otros planes.
Mary le pidió a Tom que apagase el ordenador y preparase la cena.
Mi hermano compró un auto usado, así que no era muy caro.
Se requerían no menos que trescientos dólares para ese trabajo.
Ahora que lo pienso, creo que me tomaré un trozo de esa tarta.
A ella no se le ocurría que darle a los niños para la navidad.
Se sorprendió al encontrar tantas cosas bonitas dentro de la caja.
Alguien que se parece mucho a Tom está parado cerca del portón.
Estudiar como comunicarse de manera efectiva es tiempo bien ocupado.
Gracias por llevarme (en coche) hasta mi casa.
La Steve Miller Band sacó un nuevo álbum en junio del 2010.
La tripulación está ocupada preparándose para el viaje al espacio exterior.
El águila se elevó majestuosamente por encima de los picos cubiertos de nieve.
Los miembros del jurado escucharon cuidadosamente al abogado.
La pintura se ve genial, pero la colgaste un poco chueca.
El sacerdote bendijo a la congregación al término de la misa.
Brillaba el sol y hacía bueno, así que me tomé el día libre.
Había un montón de gente a la entrada del teatro.
Hay una teoría que dice que los dueños usualmente se parecen a sus perros.
Este va a ser el verano más caluroso en treinta y seis años.
Hay que arreglar este reloj. Se adelanta veinte minutos en un día.
Tom y Mary estaban aún durmiendo cuando John se fue a la escuela.
Tom no puede cargar todas esas valijas, así que deberías ayudarle.
Tom decidió fisgonear y ver que podía averiguar.
Tom no necesita lavar el auto. Mary ya lo lavó.
Tom no quiere que compartas esta información con nadie.
Tom es neoyorquino, pero no tiene acento de Nueva York.
Tom notó que María estaba sentada sola en la esquina.
Tom enjuagó los platos y los puso dentro del lavavajillas.
Tom sacó una de las camisas del armario y se la puso.
Tom estaba realmente contento al oír que María había aprobado sus exámenes.
Tom jamás podrá perdonar a Mary por haberlo engañado.
Tenemos la prueba absoluta de que fumar es malo para la salud.
¿Qué efecto dijo el doctor que tenía esta medicina en la gente?
Cuando haya terminado mi almuerzo, me recostaré por una hora.
Cuando yo era joven, solía ir a ver partidos de béisbol.
Desde la ventana se ven las chimeneas de la fábrica.
No deberías usar ropa ajustada si estás embarazada.
«Este lugar solía ser tan agradable.» «Hábleme de ello.»
Una molécula de agua tiene dos átomos de hidrógeno y un átomo de oxígeno.
Todo contribuyente tiene el derecho a saber adonde va su dinero.
¿Estás pensando seriamente en comenzar tu propio negocio?
Tan pronto como terminó la clase, salieron pitando del aula.
Mis dos hermanos están casados, pero todas mis hermanas son solteras.
California fue el trigésimo primer estado admitido en los Estados Unidos.
Perdone, ¿podría decirme cómo llegar a Central Park?
Él no negó que anteriormente estuvo involucrado en el programa.
Él dijo que no iba a la fiesta porque tenía que estudiar.
Su hijo está bien mimado. Tiene que estar con ella siempre.
¿Cómo consolar a una mujer que acaba de perder a su único hijo?
Todavía me puedo acordar de la vez que Tom se cayó del árbol.
No sé si voy a poder almorzar con vos mañana.
Encontré una nota en la mesa, pero no sé de quién es.
Espero que siga favoreciéndonos con su apoyo.
Conozco a un profesor de inglés que viene de Canadá.
Vi a una señora atravesar la puerta sin enseñar su boleto.
Creo que nuestra convivencia ha influenciado tu forma de vida.
Estaba a punto de salir de la casa cuando sonó el teléfono.
Preferiría quedarme en casa a salir con este calor.
Si hago esto, ¿los otros lo verán de un modo negativo?
Si te entra miedo por la noche enciende la luz.
A pesar de las dificultades de idioma, todos nos hicimos amigos rápido.
Me parecía que no había salida a nuestro predicamento.
Alguna vez se pensó que había vida inteligente en Marte.
No es cuanto sabes, sino lo que puedes hacer lo que cuenta.
Solo porque a él le gusta pintar no significa que sea bueno para ello.
Mira, tuve un día largo y quiero ir a la cama ahora mismo.
Mary le prometió a su madre que la ayudaría más a menudo.
A los periódicos, la televisión y la radio se les llama medios de comunicación masiva.
Uno de los niños estudia, pero los otros juegan.
Ella le aconsejó que hablara acerca de su vida en Estados Unidos.
Ella no tiene niñera, así que no puede ir a la fiesta.
Ella quisiera que él se pusiera en contacto con ella tan pronto como sea posible.
Siendo estrictos, el chino consiste en cientos de dialectos.
Es por eso que algunos veteranos nunca quisieron hablar de la guerra.
El niño se sentó en el regazo de su madre y escuchaba la historia.
La intensa nevada impidió que nuestro tren saliera a tiempo.
La vieja choza parece haber resistido la tormenta bastante bien.
El avión de Chicago llegó al aeropuerto de madrugada.
El presidente y su secretaria hablaron tomando café.
Los ladrones salieron por detrás de los árboles y lo atacaron.
A causa de la gran nevada el tren se retrasó diez minutos.
Solía haber un pequeño puente sobre el río hace 10 años.
Ellos compraron algunos muebles cuando se casaron.
Este es el mismo problema que nosotros hemos tenido los últimos tres años.
Cansado del duro trabajo, él se fue a la cama más temprano de lo usual.
Tom y Mary intercambian más de 200 textos cada día.
Tom llamó a Mary para disculparse, pero le colgó.
Tom no podía pensar en ningún motivo por el que necesitara regresar temprano a casa.
Tom no sabe decir lo que quiere decir en inglés.
Tom no había comido nada en todo el día y estaba muy hambriento.
Tom sabe por qué Mary decidió no ir al picnic con él.
Tom dice que no tiene problemas para entender el francés de Mary.
Tom le dijo que había escrito ese poema dos años antes.
Tom quería estudiar japonés con un hablante nativo.
El alcoholismo de Tom ha causado muchos problemas en su matrimonio.
Podemos huir de todo, excepto de nuestra conciencia.
Vamos a ir a Hong Kong primero, y luego iremos a Singapur.
Lo que se ve sobre la superficie del mar no es más que la punta de un iceberg.
¿Por qué no le has dicho a Tom cuándo y dónde va a ser la reunión?
Si eres tan perezoso ahora tu destino será lamentarlo en el futuro.
Tú no debiste haberla tenido esperando en una noche tan fría.
Te sorprendería saber todas las veces que le he dicho ha Tom que no haga eso.
Un hombre de pelo blanco tocaba el acordeón afuera de la tienda.
¿Estás consciente de que Okinawa está más cerca de China que a Honshu?
El cáncer puede ser curado con facilidad si es diagnosticado en la primera fase.
¿Pasas más tiempo con tu familia o con tus amigos?
El primer año de su investigación se enteró de que tenía esclerosis lateral amiotrófica.
Todos parecen iguales excepto el que está haciendo el pino.
Se ha tomado sumo cuidado en usar solo los más finos ingredientes.
Él entró al mundo de los negocios en lugar de ir a la universidad.
Es un representante acreditado del gobierno canadiense.
¿Cuántas veces tengo que decirte que dejes de llamarme así?
Me comí media manzana antes de darme cuenta de que había un gusano dentro.
No sé por qué Tom no vino y no quiero preguntarle.
Yo bebí mucho y el suelo parecía girar bajo mis pies.
Supongo que es imposible que yo aprenda a tocar el oboe.
Lo conozco de vista, pero la verdad es que nunca le he hablado.
Aún tengo un dolor de cabeza, pero me estoy sintiendo mejor esta mañana.
Traté de averiguar cuántas personas viven realmente en esta ciudad.
Me preguntaba si me dejarías quedarme contigo un par de días.
Me estoy empezando a cansar de oír música navideña por donde quiera que voy.
Hace tres días que tengo dolor de cabeza y no se me va.
Si haces eso, vas a estar sometiéndote al ridículo.
Si quieres hacer un buen trabajo, debes usar las herramientas justas.
Es casi imposible que termines el trabajo en un día.
No pasará mucho tiempo antes de que una de cada cinco personas posea un coche.
Es importante que pensemos en el futuro del mundo.
Simplemente haz lo que yo cuando conocí a Mary. Dile que es preciosa.
Mary está enamorada de un apuesto muchacho de su clase llamado Tom.
Ninguno de nosotros quiere ir, pero usted o su mujer deben ir.
La primera prioridad de nuestra compañía es satisfacer las necesidades de nuestros clientes.
Por favor, llámame en cuanto llegues a Londres.
Rumores de una quiebra en Wall Street desencadenaron la venta compulsiva de dólares.
Ella habla en hebreo con su madre y en polaco con su padre.
Qué extraño. Juraría que había cerrado esta puerta con llave.
La conferencia tendrá lugar pasado mañana en Tokio.
La casa se quemó por completo antes que el camión de bomberos llegara.
El plan anunciado el martes exige 54 mil millones de dólares en recortes de impuestos.
El programa no permite cambios a esta altura.
Se hacían muchas conjeturas sobre lo que iba a ocurrir.
Ellos construyeron su imperio en Perú hace aproximadamente quinientos años.
Me estaban tratando tan mal que simplemente me perdí.
Esta novela es más interesante que la que leí la semana pasada.
Tom siempre quería visitar a Mary, pero él nunca tuvo la oportunidad.
Tom descubrió que Mary tenía problemas y fue a ayudarla.
Tom dio un montón de sugerencias, pero no me gustó ninguna de ellas.
Tom estudia todo el tiempo, pero jamás parece aprender nada.
Tom es el tipo de persona que siempre tiene que salirse con la suya.
Tom dijo que él no sabía por qué María quería terminar con él.
Tom debería disculparse con Mary por ser tan grosero con su madre.
Tom pensó que Mary no era tan cooperativa como ella debería haber sido.
Tom nos dijo que comeríamos en cuanto llegáramos a la cabina.
El agua, los bosques y los minerales son importantes recursos naturales.
Hemos estado hablando de eso durante horas, ¿no podemos dejar el tema?
Con el TV encendido, ¿cómo puedes mantener la mente en tus estudios?
Dices que Nessie es un ser imaginario, pero yo creo que ella existe.
«¿Vas a ir al concierto de Tom?» «Por supuesto que sí.»
Todas sus esperanzas se desvanecieron cuando perdió a su único hijo en la guerra.
¿Estás segura de que no quieres vivir en casa de tus padres?
Las bibliotecas ofrecen varios otros servicios aparte de prestar libros.
¿Tenías que compartir una pieza con tus hermanos o hermanas?
Incluso en mi lengua materna hay palabras que yo no conozco.
Los hombres alemanes van a la peluquería más a menudo que las mujeres alemanas.
Él y yo hemos sido amigos inseparables desde nuestra época de estudiantes.
Él ingresó a la universidad después de desaprobar el examen dos veces.
Escuchó con mucha atención para no perderse ni una sola palabra.
Su padre puede permitirse el darle una gran paga cada mes.
Me gusta mucho la langosta, pero son carísimas.
No sé si tomarlo como un cumplido o un insulto.
Me levanté más pronto de lo normal para coger el primer tren.
Aún no he juntado suficiente material para escribir un libro.
¡Simplemente no sé cómo seré capaz de cumplir con todos los plazos!
Nunca me voy de vacaciones sin limpiar primero mi apartamento.
Creo que necesitas pasar un poco más de tiempo en tu tarea.
Había estado yo solo toda la semana, y me moría por una conversación.
Me encantaría ser capaz de pasar menos tiempo haciendo las tareas del hogar.
Si hubiera sabido la dirección de ella, le habría escrito una carta.
Si él te sigue amenazando, entonces deberías ir donde la policía.
En mi opinión, el alcohol no es necesariamente malo para tu salud.
Se dice que el zorro es más astuto que ningún otro animal.
Ver a su novia con otro hombre era una tortura para él.
Mucha gente de edad muere en accidentes de tránsito cada día.
Mi despertador no sonó esta mañana, así que perdí el autobús.
De más está decir que los derechos humanos fundamentales deben ser respetados.
Una vez que empezás a comer pochoclo, es casi imposible parar.
Ella soltó intencionalmente su pañuelo para llamar su atención.
Él le aconsejó que se fuera al extranjero mientras aún fuera joven.
A veces mentimos para no lastimar los sentimientos de los demás.
Gracias por darme algo de comer, estaba muy hambriento.
La ciudad está ganando popularidad como un importante destino turístico.
El fuego se había extinguido ya cuando llegaron los bomberos.
La última cosa que quiero es darte alguna razón para que me despidas.
La policía le prometió a Tom que buscarían a su hija.
El mago agitó su varita mágica y despareció sin dejar rastro.
Existen diferencias significativas entre esos dos países.
Hubo una época en que reyes y reinas dominaban el mundo.
Tom murió tres meses antes de graduarse de la universidad.
Tom le preguntó a Mary si sabía cómo tocar esa canción en flauta.
Tom no tenía ganas de sentarse por dos horas en un cine.
Tom pasa a dejar a sus hijos al colegio todos los días de camino al trabajo.
Tom tiene un armario lleno de trofeos que ganó en competencias.
Tom se estacionó en uno de los lugares vacíos en frente de la biblioteca.
Tom dice que no sabe dónde Mary compró el collar de perlas.
Tom me dijo que no reconoció a Mary la última vez que la vio.
Tom tenía miedo de que le encerraran y tirasen la llave.
El sueño de Tom es vivir en un pequeño pueblo al sur de Francia.
Hemos terminado el trabajo concorde con sus instrucciones.
Estamos de huelga porque la empresa no nos aumentó el sueldo.
De niño yo era adicto a la lectura de cuentos policiales.
Ayer, me ha sorprendido un chaparrón volviendo de la escuela.
Será mejor que compres uno nuevo que intentar arreglarlo.
Un helicóptero es capaz de despegar y aterrizar verticalmente.
Aún cuando la propuesta parecía ser una buena idea, ellos la rechazaron.
Así como los tigres se aproximaban, nos preguntábamos quién sería devorado primero.
¿Tienes alguna idea de cuándo se tomaron esas fotos?
Cada empleado tiene derecho a dos semanas de vacaciones pagadas por año.
Todo el mundo debería elegir al menos un poema y aprendérselo de memoria.
Baje esta calle derecho y gire a la derecha en el tercer semáforo.
Se levantó para asegurarse de que había apagado la luz de la cocina.
Sobrevivió a un accidente el año pasado, pero todavía conduce imprudentemente.
¿Cómo crees que puedo convencerla para que pase más tiempo conmigo?
Tomé algo de leche y el resto lo puse en la heladera.
Ayer tuve que quedarme en casa todo el día para cuidar de mi madre.
Me imagino que tarde o temprano van a atrapar a Tom y lo pondrán en prisión.
Solo quiero que consideres la posibilidad de que estés equivocada.
Ayer me encontré con un viejo amigo cuando fui al cine.
Quiero que el mundo entero sepa que nos vamos a casar.
Quisiera decirte un par de cosas con respecto a lo que pasó ayer.
He terminado de traducir todo lo que me pediste que tradujera.
Si el sol saliera por el oeste, no cambiaría de idea.
Si quieres mejorarte algún día, tienes que tomar este remedio.
En los primeros días de la historia americana, los negros eran esclavos.
No funciona muy bien porque las pilas se están agotando.
Parece que Tom tiene una coartada para la noche en que Mary fue asesinada.
Es difícil ayudar a las personas que no creen necesitar ayuda.
Mary y su familia vinieron a la estación de tren a despedirnos.
De todas las casas que vimos, sin duda ésta es la mejor.
Sólo aquellos que se arriesguen a ir demasiado lejos sabrán hasta dónde se puede llegar.
Ella le preguntó dónde vivía, pero él era demasiado listo para decírselo.
Algunos piensan que el presidente pasa demasiado tiempo viajando.
El pájaro cogió la ramita con el pico y se fue volando hasta su nido.
El reloj que compró mi abuelo aún sigue en buen estado.
La muchacha de la cual él se enamoró, lo dejó después de algunos meses.
La policía ha encontrado un cadáver en un auto abandonado en la proximidad del parque.
El colegio queda a cinco minutos a pie desde la estación.
El guerrero es consciente tanto de su fortaleza, cuanto de su debilidad.
Hay una cosa que quiero hacer antes que me vaya. Quiero besarte.
Hoy, nuestros satélites artificiales están girando alrededor de la Tierra.
Tom le preguntó a Mary si acaso sabía en dónde podría comprar un rifle de asalto.
Tom no entendía por qué Mary hasta se rehusaba a escucharlo.
Tom no sabe la diferencia entre vikingos y noruegos.
Tom buscó a tientas su linterna, que había caído detrás del sofá.
Tom ha acabado de leer el libro que Mary le dio ayer.
Tom le puso a su barco el nombre de su novia, pero entonces ella le dejó.
Tom me dijo que él bebe al menos tres tazas de café al día.
Aún está por establecerse si Tom estuvo involucrado en el asalto al banco.
Debemos mantener esta información en secreto por el momento.
Tendremos que esperar y ver si Tom será capaz de hacer eso.
Cuando te hayas acabado el libro, déjalo donde lo encontraste.
No deberías leer las cartas privadas de la gente sin su permiso.
"Tal vez no sea rico, pero al menos tengo novia", dijo Tom.
Un par de vuelos fueron retrasados en vista de un accidente menor.
Todo lo que Tom quería era que Mary lo amara tanto como él la amaba.
A esa altura el clima puede cambiar rápidamente sin aviso.
¿Puedes aportar alguna prueba de que él no estaba en casa esa noche?
¿Crees que los padres deberían castigar a sus hijos cuando mienten?
Dondequiera que mires podrás observar el daño causado por el terremoto.
Él siguió importunándola hasta que le dijo lo que quería saber.
¿Cuánto piensa que tendré que gastarme para arreglar mi coche?
Compré esta computadora hace un año y ya es un dinosaurio.
No quiero que pienses que no estoy contento con tu decisión.
No tengo ni la más mínima duda de que Tom se aparecerá en el remate.
Creo que es hora de que hable de este problema con el jefe.
Fui golpeado por una banda de matones en el camino del trabajo a casa.
Me hubiese gustado haberme quedado el tiempo suficiente para conocer a tus padres.
He oído que no deberías comer carne roja más de una vez al día.
Si ves a tu alrededor, vas a ver a mucha gente haciendo lo mismo.
Dentro de otros seis meses podrás hablar alemán con fluidez.
¿Es posible determinar el diámetro por la circunferencia?
Sería genial que visitaras a tus amigos de Polonia algún día.
Perdí el tren de las siete porque mi bicicleta tenía una rueda pinchada.
Ahora que eres mayor, decidir qué hacer depende de ti.
La gente puede acudir a la ley si quiere corregir una injusticia.
No me dejó tranquilo hasta que acepté ir al cine con ella.
El abogado defensor se puso en pie de un salto y gritó "¡Protesto!".
El gobierno declaró explícita su intención de bajar los impuestos.
El cuadro que él había pintado no era muy bueno, así que nadie lo alabó.
Apenas llega el cartero, él sale corriendo a recoger su correo.
El profesor dijo que teníamos que aprender todas estas expresiones de memoria.
Hay un incendio en el edificio. Tenemos que evacuarlo inmediatamente.
Aunque el doctor hacía todo lo que podía, el paciente se recuperaba solo lentamente.
Tom y Mary estaban hablando en francés cuando John entró a la habitación.
Tom no tenía mucho tiempo, así que tan sólo escaneó rápidamente el reporte.
Tom no ve nada de malo en dejar que Mary aprenda a conducir.
Tom espera heredar mucho dinero cuando su madre fallezca.
Tom dejó claro que quería que Mary hiciera el trabajo ella sola.
Tom a veces tiene dificultad para comprender los sentimientos ajenos.
Tom le dijo a su jefe que Mary no vendría a trabajar ese día.
La camisa nueva de Tom encogió cuando la lavó y ahora no le vale.
¿Cuál piensas que es la mejor película que has visto este año?
Cuando entramos en la casucha, vimos un pastel medio comido sobre la mesa.
Puedes ponerte mi bufanda mientras no le derrames nada encima.
Tienes que levantar la mano si quieres hablar en la reunión.
Una amiga nuestra se fue de viaje a un pueblecito la semana pasada.
Alicia te va a decir que en el País de las Maravillas todo está patas para arriba.
¿Puedes limitarte a responder a la pregunta, por favor? No tenemos todo el día.
Las exportaciones en enero aumentaron un 20% respecto al mismo periodo del año pasado.
El que no está satisfecho con poco, no está satisfecho con nada.
Voy a la oficina postal a informar mi cambio de dirección.
Crucé el ecuador por primera vez durante mi viaje a Australia.
Me gustó lo que compró Tom, así que salí y me compré uno para mí.
Creo que va a llevar más de un año para terminar de construir nuestra casa.
Pude coger el último tren porque caminé muy deprisa.
Yo soy Josef Patočka y trabajo en el Ministerio de Asuntos Exteriores.
No soy el único aquí que piensa que es una buena idea hacer eso.
Si hubiese sabido lo que estaba a punto de pasar, no habría hecho eso.
Si no regresas a tiempo a la reunión, te mato.
En otras dos semanas podrás salir del hospital.
Hoy hace muy buen tiempo, así que prefiero salir a quedarme en casa.
Es muy importante que nuestros empleados sean capaces de hablar francés.
Muchos errores se podrían evitar con expermientos sencillos.
Más de la mitad de mis libros fueron destruidos por el fuego ayer por la noche.
Arqueólogos polacos están conduciendo investigaciones científicas en Sudán.
Ella fue supersticiosa, como solía ser la gente de aquel periodo.
Algo que deberías saber acerca de mí es que le tengo miedo a las alturas.
La habilidad de la niña para hablar cuatro idiomas fluidamente me impresionó.
El número de asesinatos está aumentando incluso en un país como Japón.
La policía piensa que Tom fue apuñalado antes que le rajaran la garganta.
La profesora me apuntó con el dedo y me pidió que fuera con ella.
Ayer Tom me miró de una forma extraña.
Esta carta es personal, no quiero que la lea otra persona.
Tom y su esposa querían tener un hijo antes de ser demasiado viejos.
Tom no sabía con seguridad cuánto costaría el nuevo ordenador.
Tom tiene media hora más de trabajo que hacer antes de que se pueda ir a casa.
A Tom le gusta sentarse en el muelle con sus pies colgando en el agua.
Tom trató de ver a través de la rendija, pero no consiguió ver nada.
Tom quería regresar a la casa antes de que los niños se dieran cuenta de que se había ido.
La felicidad de Tom significa para mí más que todo lo demás en el mundo.
A menudo no nos damos cuenta del grado en que dependemos de los otros.
Cuando llegué a la estación, el tren estaba a punto de irse.
Cuando sacudes manos con alguien, debes mirarlo a los ojos.
No tienes ninguna obligación en absoluto de compartir esta información.
Deberías comprarle a tu esposa algunas flores y llevarla a cenar.
Para un luchador de zumo consumir 20.000 calorías al día no es nada.
Tan pronto como sintió su casa sacudirse, salió de una carrera al jardín.
Las banderas del mundo flamean orgullosas en el cuartel general de las Naciones Unidas.
Él salta a menudo de un tema a otro cuando habla.
Sus ideas eran demasiado avanzadas para ser aceptadas por la gente de a pie.
No dormí bien anoche, así que no tengo mucha energía hoy.
No sé cómo él puede hablar sin sacarse el cigarrillo de la boca.
Supongo que no hace ninguna diferencia a qué club de natación me una.
Mañana planeo llamar a Tom y pedirle que ayude.
Querría regalarte una bicicleta por tu cumpleaños.
Te estoy mandando un correo electrónico para seguir nuestra conversación telefónica de esta mañana.
Si ganaran la lotería, ¿qué comprarían con ese dinero?
Tuve suerte de poder hablar con Tom antes de que se fuera a Boston.
Solo porque Tom haya dicho que no tenía una llave no significa que sea verdad.
Nadie ha dado un paso adelante y se ha atribuido responsable por lo que ocurrió.
Las personas que viven en esta área se están muriendo debido a la falta de agua.
Como tenía las manos ocupadas, Tom abrió la puerta con su rodilla.
Tómate tu tiempo. Sé que necesitas un par de días para pensártelo.
Los ingenieros volaron el puente, ya que estaba a punto de colapsar.
El hombre puso el arma contra su frente y presionó el gatillo.
El oficial ordenó a los soldados atacar la posición fortificada.
El príncipe y la princesa se abrieron camino a través de la multitud que les vitoreaba.
Su jardín está lleno de flores muy hermosas durante todo el año.
Este collar es tan bonito que me gustaría comprárselo a mi esposa.
Tom le pidió a Mary que se saque los zapatos antes de entrar a su casa.
Tom no sabe si Mary irá a la montaña o a la playa.
Tom montó a caballo la semana pasada cuando estuvo en el rancho de su abuelo.
Tom era el único que sabía prender fuego sin fósforos.
Tom, creo que tenemos que ayudar a Mary. Parece que está en problemas.
Tenemos que usar la escalera, porque el ascensor está en reparación.
El tipo de deportes que jugamos depende del tiempo y de la estación.
Cuando él era joven, solía seguir a Beethoven a todas partes.
Vos no sabés lo que es perder a la familia entera en una guerra.
Me dijiste que no iba a llover hoy, así que no traje un paraguas.
Una buena contraseña debería ser difícil de adivinar pero fácil de recordar.
Toda la habilidad de los marineros sucumbió ante la violencia de la tormenta.
En cuanto a la política, está todavía en mantillas.
¿Se ponen tus hijos el casco siempre que montan en bicicleta?
Él no mintió. De hecho, dijo toda la verdad.
No puedo averiguar cómo exportar mis direcciones de correo electrónico a un archivo de texto.
Tengo mejores cosas que hacer que sentarme todo el día a esperar a Tom.
Invité a doce personas a mi fiesta, pero una no pudo venir.
Les dije a los niños que estuvieran en silencio, pero ellos siguieron haciendo ruido.
Voy al bar a tomar un trago y te sugiero que hagas lo mismo.
Si vas en autobús, puedes llegar allí en más o menos un tercio del tiempo.
Ese día hacía mucho viento y se me dio vuelta el paraguas.
Terminemos rápido el trabajo que queda y salgamos a tomar algo de beber.
No importa cuán capacitado estés, no vas a conseguir un ascenso.
Lee tantos periódicos como puedas para mantenerte al día.
Ella acababa de empezar a leer el libro cuando alguien golpeó la puerta.
Algo que deberías saber acerca de mí es que soy un animal de costumbres.
El astronauta debió llevar a cabo muchos experimentos en el transbordador espacial.
La casa es demasiado grande para nosotros, y además es demasiado cara.
Los reporteros exigieron saber por qué el alcalde no hablaría con ellos.
El centro de información turística dio un mapa de la ciudad a todo el que lo pidió.
Hoy hay muchos más estudiantes en la sala que ayer.
Prevenir que la enfermedad se propagara rápidamente no fue una tarea fácil.
Tom eligió pasar las Navidades con Mary en vez de con su familia.
A Tom no le gusta nadar en este río, él dice que está muy contaminado.
Tom ha acumulado mucha basura desde que se mudó a esta casa.
Tom necesita renovar su pasaporte antes del quince del próximo mes.
Tom pasaba la aspiradora a la alfombra mientras Mary fregaba el suelo de la cocina.
Desgraciadamente, los suministros de comida se agotaron antes del final del invierno.
¿Por qué no entras y hablamos de ello mientras tomamos una taza de café?
Usted se atrevió a contradecirme dos veces ante el Comisario.
Una enfermedad inesperada me impidió ir a la estación a recibirlo.
Cualquier cosa que digas puede y será usada en tu contra ante un tribunal.
Él aprovechó todas las oportunidades para aprender del gran erudito.
Su técnica es excelente, pero ella necesita tocar con más expresión.
Dudo que Tom tenga el valor de hacer lo que verdaderamente necesita hacerse.
Estacioné en el lado izquierdo de la calle justo en frente de la escuela.
Pensé que sería una buena oportunidad para que mejoraras tu francés.
Me gustaría tomar al menos una botella más de cerveza antes de ir a casa.
He oído que la gente puede comer comida para gatos, sin efectos nocivos.
Si le dices a la gente lo que quiere oír, harán lo que tú quieras.
No es necesario que sigas su consejo si no quieres.
Lo mejor es traer puesta una gorra en la cabeza durante los inviernos fríos de Moscú.
Analicemos el problema y veamos si podemos llegar a una solución.
Mi madre me pidió que no alimentara al perro hasta después de que todos hayamos comido.
La gente tiende a hablar fuerte cuando están emocionados.
Ella miró varios vestidos y eligió el más caro.
Algunos estudiantes eran de Asia, y otros de Europa.
La raza humana tiene un arma realmente efectiva, y ésa es la risa.
El partido en el poder está llevando a cabo una campaña de calumnias contra la oposición.
Tom preguntó a Mary si consideraría alguna vez volver a salir con John.
Tom decidió que iba a estudiar francés tres horas al día.
Tom sencillamente se paró ahí y veía como María se miraba fijamente al espejo.
Tom dijo que tenía espacio en su cochera para guardar algunas de mis cosas.
Tom fue tras bastidores a ver si podía encontrarse con algunos de los miembros de la banda.
Tom preferiría dejar a Mary salirse con las suyas que tener una discusión.
Lo esperamos hasta las dos y, finalmente, nos fuimos a dormir.
Al menos podrías decirle a Tom que ya no necesita hacer eso.
Te sorprenderías si supieras cuántas manzanas puedes comprar por doscientos dólares.
Una pequeña disputa fronteriza se disparó en un incidente internacional mayor.
Como escritora, ella no encaja en ninguna de las categorías tradicionales.
A pesar de que Tom era mi mejor amigo, estoy empezando a odiarlo.
Él recuperó su salud, así que ya puede retomar sus estudios.
No suelo ver muchas películas, pero no puedo resistirme a un buen documental.
Yo sé como resolver el problema, pero se me pidió que no te lo dijera.
Me pregunto si un hombre podría vivir con solo dos horas de sueño por noche.
He estado tratando de deducir a quién Tom le pudo haber dado el dinero.
En Estados Unidos se puede comprar arroz por una quinta parte de lo que cuesta en Japón.
Caminar a la estación desde aquí sólo lleva quince minutos.
Hagamos un concurso. Aquel bando al que se le ocurra el peor insulto, gana.
Una vez que se empieza a fumar, es difícil dejar ese mal hábito.
Recientemente, han habido señales de que la economía está tomando vuelo.
Los autos pequeños son muy económicos debido a su bajo consumo de combustible.
Los televisores con tubos de vacío son consideradas un atraso.
La lengua de esa tribu es tan compleja como cualquier otro idioma humano.
El sacerdote dibujó hábilmente una imagen de un sacerdote en una pantalla plegable.
Piensa en cuánto peor podría haber sido si Tom no hubiese estado allí.
Para llegar a los pagos de nuestra casa, vamos a tener que apretarnos el cinturón.
Tom y sus amigos están jugando Dungeons & Dragons en el sótano.
Tom tomó prestados de Mary treinta dólares para comprarle a John un regalo de cumpleaños.
Tom tenía el presentimiento de que Mary traería su nuevo novio a la fiesta.
Tom estaba muy molesto por tener que pasar la Navidad en el hospital.
Desafortunadamente, el hotel que tú sugeriste estaba completamente reservado.
¿Por qué no te deshaces de tu motocicleta si ya no la conduces?
Después de que terminemos de cavar la trinchera, plantar las flores será fácil.
Como poco, me gustaría ser capaz de tener conversaciones todos los días.
Todo era muy emocionante para mí cuando visité España por primera vez.
Su explicación de que una solución tardaría tiempo no dejó a nadie satisfecho.
Me siento inquieto cuando tengo que esperar demasiado tiempo para que mi amiga aparezca.
Estudié francés hace mucho tiempo, pero ahora todo lo que recuerdo es "bonjour".
Ojalá pudiera permitirme enviar a mi hija a la universidad Ivy League.
Si el clima hubiera estado bien ayer, él hubiera ido al zoológico.
El tigre dientes de sable se extinguió durante la era de hielo.
No pierdas de vista a Tom y asegúrate de que no se meta en problemas.
A mi hermana menor le duele un diente desde esta noche.
Por favor, disculpe mi mal francés. Tan solo estoy empezando a aprender el idioma.
Ella buscó las llaves de la casa en su cartera, pero no las encontró.
El doctor dijo: "No hay nada peor para tu salud que el tabaco."
El público tiene derecho a tener información acerca de en qué se gastan los fondos públicos.
Se requiere con urgencia que el gobierno local ayude a los desamparados.
Tom y Mary se conocieron en la cafetería del hospital el día que el padre de Mary murió.
Tom no pudo ir con nosotros a Boston porque no tenía suficiente dinero.
Tom ha sido y sigue siendo una fuente constante de preocupación para sus padres.
Tom pasaba casi todos los días pidiendo dinero frente a las atracciones turísticas.
Tom fue nombrado líder de a organización después de que el director se retirara.
Nos tememos que nuestra nueva dirección no está registrada en su base de datos.
Cuando vayas a la tienda de comestibles, coge queso fresco, por favor.
Tan pronto tenga la oportunidad, le ayudaré a tu madre a pintar la cerca.
Los ordenadores pueden hacer trabajos muy complicados en fracciones de segundos.
Él encontró muy difícil adaptarse a la vida en la nueva escuela.
A mí no me gusta demasiado el café, pero una taza de vez en cuando suelo tomar.
Me di cuenta de que aun cuando quería comer, no tenía tiempo suficiente.
Pensé que él estaba enojado conmigo porque no lo ayudé a construir su casa.
Yo siempre fui sincero con vos, pero vos nunca intentaste serlo conmigo.
Me complace saber que tu hermana está fuera de peligro tras la operación.
Me avergonzaba la manera en que mis padres se jactaban de mí en el concierto.
Mucho de lo que Pizarro había oído acerca del tesoro inca era cierto.
No solo hubo vientos fuertes ayer, sino que también llovió fuertemente.
Le aconsejó que fuera al hospital, pero él no siguió su consejo.
Los edificios son pequeños comparados con los rascacielos de Nueva York.
El propietario de ese edificio vive en la 5ª planta de este edificio.
No hay manera de que Tom pudiera haber robado el dinero sin ser visto.
Tom y María se vieron al espejo que colgaba en la pared.
Tom fue condenado por conducir en estado de ebriedad dos veces en los últimos cuatro años.
Tom se preguntaba cuántos minutos más le tomaría ir corriendo a la parada de autobús.
Cuando era niño, me gustaba deslizarme por la baranda de la escalera.
Con tus habilidades, estoy seguro de que no te sería muy difícil encontrar otro trabajo.
A menudo necesitas más tiempo de lo previsto para hacer algo.
¿Acaso piensas seriamente en perseguir una carrera como conductor de autos de carrera?
La civilización es la ilimitada multiplicación de necesidades innecesarias.
Para algunos, la meditación es más eficaz que tomar tranquilizantes.
Él llevaba viviendo siete años en Nagano cuando nació su hija.
No creo que pueda traducir este documento sin tu ayuda.
Si no ocurre nada imprevisto, mañana podré verte.
En vez de comer verduras, él las pone en la licuadora y se las bebe.
Muchas personas consideran que los niños no pasan suficiente tiempo jugando fuera de casa.
No hay ningún problema con el coche. Es simplemente que eres un mal conductor.
Como no había más lugar en la mesa, tuve que comer de pie.
La compañía pidió al banco que le prestara dinero para comprar maquinaria nueva.
A la mañana siguiente de haber llegado allí di un paseo por el bosque de robles.
Normalmente no hay muchos coches en la carretera a esta hora temprana de la mañana.
Tom agregó su nombre a la lista de personas que querían asistir al baile.
Tom puede probablemente usar algunas influencias para ti y meterte en esa escuela.
Tom conocía algunas cosas de Mary que ella confiaba en que no se las contara a John.
Tom pensó que lo que llevaba Mary puesto no era apropiado para una fiesta formal.
Tom se preguntaba en qué momento María había comprado la leche que estaba en el refrigerador.
Lo que más me sorprendió realmente fue que yo fui el único al que despidieron.
Deberías hacerte el hábito de cepillarte los dientes después de cada comida.
Todos los estudiantes de la universidad tienen acceso a la biblioteca de la universidad.
Él se declara socialista, y aún así posee dos casas y un Rolls Royce.
Te puedo ofrecer algunas predicciones estadísticas de los ingresos esperados.
Apenas me senté en la banca, noté que la acababan de pintar.
Nunca pensé que sería así de difícil elegir un color para pintar la cocina.
Yo te dije que el concierto iba a ser aburrido. ¿Por qué no me creíste?
Si mi madre hubiera estado todavía viva, me habría ayudado en aquel entonces.
Si lo oyeras hablar francés, lo tomarías por uno.
Mary miró en su armario tratando de encontrar algo adecuado para ponerse.
Ella visita al dentista de manera regular, así que rara vez tiene dolor de muelas.
La población de Tokio es aproximadamente cinco veces más grande que la de nuestra ciudad.
Aquellos que eligen no leer no tienen ninguna ventaja sobre aquellos que no saben leer.
Tom se empezó a preocupar acerca de cómo iba a pagar la educación de su hijo.
Tom odia que Mary le pida que explique la misma cosa más de una vez.
Tom le dijo a Mary que no lo esperara porque no llegaría a casa hasta muy tarde.
Como no llueva pronto en Etiopía, el país podría tener graves problemas de sequía.
¿Por qué las monedas de cinco y cincuenta yenes tienen un agujero en el centro?
"¿Quieres ir al baile conmigo?" "Lo siento mucho, pero no puedo."
Después de llamar dos veces, a la policía no le quedó más remedio que echar la puerta abajo.
Debido a que surgió un asunto urgente, él no pudo ir al concierto.
Compré tres manzanas y dos racimos de uvas para el postre en el mercado.
No debí haber perdido mi tiempo tratando de convencer a Tom de cambiar de idea.
Iba a intentar quedar en la Universidad de Tokio, pero cambié de idea.
Si una persona enferma hace mil grullas de papel, su deseo se cumplirá.
Es mejor que te tomes tu tiempo con este trabajo a que lo hagas deprisa y cometas fallos.
Mi profesor me dijo que debería haberle dedicado más tiempo a la preparación de mi discurso.
El clima aquí es muy suave, así que rara vez nieva aquí incluso cuando es invierno.
La policía revisó esa casa para asegurarse de que los zapatos robados no estuvieran allí.
Hay leche por todo el piso de la cocina porque mi esposa rompió la botella.
Tom no quería molestar a Mary de noche tan tarde, pero era una emergencia.
Tom es la clase de persona a la que le gusta discutir sólo por el placer de discutir.
Tom se pasó toda la noche buscando en la Web fotos de gente famosa.
¿Qué tiene que ver lo que pasó anoche con lo que está pasando hoy?
Tienes menos probabilidades de conseguir una buena posición si no hablas inglés.
La tecnología de encriptación ha avanzado hasta el punto de ser muy fiable.
Él y yo somos amigos tan cercanos que casi podemos leer nuestras mentes.
Entiendo que alguien tiene que contarle a Tom lo de la muerte de Mary. ¿Tengo que ser yo?
Pensé que podía ser una buena idea el reunirnos y hablarlo.
Si eres tan exigente con los demás, deberías serlo también contigo mismo.
Es importante tener una copia externa de seguridad de todos los datos de tu ordenador.
Ella le contrató de intérprete porque había oído que era el mejor.
Como empezó a hacer aún más calor, Tom se quitó otra capa de ropa.
El porcentaje de carbohidratos en las célula animal es de aproximadamente el seis por ciento.
Tom y mary siempre hablan de las mismas cosas. Se vuelve algo aburrido.
Tom no pudo encontrar a Mary incluso a pesar de que dijo que había buscado en prácticamente todas partes.
Tom dijo que desearía que Mary y yo no saliéramos solos tras anochecer.
Tom le dijo a John que él sacaría a Mary a bailar sólo si John sacaba a Alice.
Cuando era niño, iba mucho a pescar al río con mi hermano.
No te compares con tu hermano, porque es mejor persona que tú.
Desde que él era un niño pequeño, Tom sabía que él quería ser un policía.
Sé que es muy improbable que podamos vender todas estas cosas.
Sin tu cooperación, no habría podido terminar el trabajo a tiempo.
Si tuvieras sólo una semana más de vida, ¿a qué la dedicarías?
Muchos padres piensan que es importante que sus hijos coman antes de las 8:00 p.m.
Desde el accidente, Tom ha perdido la esperanza de convertirse en un bailarín profesional.
La Capilla Sixtina es una extensa capilla construída dentro del Palacio Vaticano en el 1473.
Los dos equipos que juegan esta noche son los Gigantes de Yomiuri y los Tigres de Hanshin.
Tom se metió al auto de Mary y se robó lo que estaba escondido bajo el asiento del chofer.
Tom terminó de limpiar la cocina y después empezó a limpiar la sala de estar.
¿Te gustaría aprender inglés como un hablante nativo en dos semanas?
Deberías pedirle perdón a tu padre por no haber llegado a tiempo a la cena.
Siempre te centras en las pequeñeces. Desearía que fueras capaz de decir algo más constructivo.
La creatividad es la habilidad para combinar elementos conocidos de formas nuevas e inusuales.
Las circunstancias de su familia eran tales que él se hizo profesor por las necesidades.
Me imagino que Tom se quedará sin dinero en algún momento y tendrá que volver a casa.
Estaba indispuesto a aceptar la propuesta, pero parecía que no tenía alternativa.
Si por alguna razón un hombre dejara de pensar, ese hombre ya no sería un hombre.
Sería agradable si tuvieras una rodajita de lima para echar en mi agua helada.
Como no tenían hijos propios, decidieron adoptar a una niña pequeña.
El director quería que el reportero local Asahi fuera a la escena del crimen.
El pueblo que visité el verano pasado era uno pequeño de la prefectura de Nagano.
Tom pidió a Mary que mirara de conseguir asientos de primera fila para el concierto de Lady Gaga.
Tom se rio de todas las bromas de Mary, incluso de las que no pensaba que fueran divertidas.
Tenemos derecho a exigir un futuro seguro para nosotros y las generaciones futuras.
Años atrás, cuando los hijos de Tom eran jóvenes, él acostumbraba a tomar muchas fotografías.
Casi todos los pasajeros del autobús estaban dormidos cuando tuvo lugar el accidente.
Jorge Luis Borges a muy temprana edad tuvo graves problemas en la vista.
No consigo figurar cómo transferir los archivos MP3 de mi iPod de regreso a mi computadora.
Si pararas de decirme que no esté tan nervioso, quizá no estaría tan nervioso.
Ella y yo tenemos la misma posición en la compañía, pero gana más que yo.
El chaval creció más y más y al final supero en altura a su padre.
La batalla por la custodia, de los niños de Tom y Mary, fue un largo e interminable asunto.
Tom no parecía sorprendido cuando oyó que Mary y John se habían casado.
Tom apretó la garra de la palanca bajo la cabeza del clavo y sacó el clavo.
Según la predicción del clima, es probable que el tifón se aproxime a la costa.
Un examen más cercano reveló que el cráneo había sido aplastado por un fuerte golpe.
Sin embargo, la princesa se había atrincherado en su habitación y no quería salir.
Me gusta este cuadro, no porque sea una pieza maestra, sino porque tiene encanto.
Devolví los libros que había sacado de la biblioteca y me llevé prestados otros nuevos.
Si escuchas que alguien quiere comprar una casa, dímelo, por favor.
Me parece bien si hacemos una barbacoa, pero no me gusta cuando el humo se mete en mis ojos.
Nuestros niños se mueren de ganas de tener bicicletas como las de los niños de al lado.
Los primeros inmigrantes en la historia de Estados Unidos vinieron de Inglaterra y Países Bajos.
Hay muchísimos planetas del porte de Júpiter en la Vía Láctea.
Tom se rompió la pierna y fue llevado al hospital una pocas semanas antes de Navidad.
Tom se siente un poco mejor después de tomar la medicina que le prescribió el doctor.
Tom pensó que Mary quería que la besara, pero él no estaba seguro, así que no lo hizo.
¡Guau! Esto me trae recuerdos. Es la foto de cuando tenía cinco años.
Cada año, veintisiete millones de acres de los bosques tropicales son destruidos.
¿Por cuánto tiempo vas a continuar lamentándote acerca de eso? No puedes cambiar el pasado.
He oído que es mejor siempre alimentar a tu perro a una hora específica todos los días.
Algunos especuladores se aprovechan de la ignorancia y el desamparo de los ancianos.
Cuanto más única es una persona, más contribuye a la sabiduría de los otros.
Tom iba a ser transferido a Boston, pero en vez de eso decidieron despedirlo.
Eres la única persona que conozco, aparte de mí mismo, a la que no le gusta ver béisbol.
De vez en cuando él pasa por esa tienda de libros en su camino a casa de la oficina.
No pude más que compadecer a la chica que había perdido a sus padres en el accidente.
Creo que para muchas personas no tiene sentido aprender las funciones trigonométricas.
Si hablases menos y escuchases más, definitivamente serías capaz de aprender algo.
Como no soy bueno nadando, evito sumergirme por sobre la cabeza.
La familia votó por el tipo de restaurante al que querían ir a cenar.
La radio nos advirtió que viene el terremoto y empezamos a juntar nuestras cosas.
Para el hombre que solo tiene un martillo en su caja de herramientas, todos los problemas parecen clavos.
Tom no tenía para qué haber pintado la cerca. Ellos la echaron abajo una semana después de que la pintara.
Lo que más le asustaba a Tom era la idea de que tal vez no pudiera volver a caminar otra vez.
Conocí a un anciano que dice que nunca ha comido en un restaurante en su vida entera.
Si puedo entrar en la universidad, espero aprender a hablar dos lenguas extranjeras.
La ayuda extranjera a Japón está disminuyendo en parte debido a una desaceleración económica en casa.
Tom y Mary hablaron sobre todo lo que querían hacer en sus próximas vacaciones.
Tom dijo que pensaba que sería un gran error contarle a Mary lo que había pasado.
El valor de un hombre debería juzgarse por su carácter, no por su estatus social.
Los expertos declaran que los precios del café están subiendo fundamentalmente porque la gente está dispuesta a pagar más.
Paso tanto tiempo trabajando en el jardín en un día como mi hermano en una semana.
En la próxima clase estudiaremos los días de la semana, los meses y las estaciones del año.
No fue hasta que terminó de leer el libro que ella se dio cuenta de quién lo había escrito.
Algunas personas traen alegría allá donde vayan, y otras traen alegría siempre que se van.
Esta vez, el examen no era sólo difícil, sino que además, las preguntas eran ambiguas.
Tom acertó cuando dijo que nuestro equipo carece de entusiasmo y motivación.
Después de perder su trabajo, no podía permitirse alimentar a los perros, de modo que los regaló.
Su auto puede ser más agradable de conducir, pero también le cuesta más la manutención.
Si quieres algo bien hecho, a veces solo tienes que ir a hacerlo por ti mismo.
Los botes salvavidas del Titanic solo tenían espacio suficiente para llevar a cerca de la mitad de los que iban a bordo.
La gestión finalmente sucumbió a la demanda de los trabajadores y les dio un aumento.
Tom compró un anillo compromiso para Mary con el dinero que heredó de su abuelo.
Tom aguantó el dolor por un par de semanas antes de ir finalmente al hospital.
Usualmente se pide a las visitas que se saquen los zapatos antes de entrar a una casa japonesa.
Un bebé no es capaz de hablar, así que tan solo grita hasta conseguir lo que quiere.
Puso la botella boca abajo y la agitó, pero aún así la miel no salía.
Tal vez sea una loca idea, pero yo pienso que deberíamos visitar a Tom y María ahora mismo.
La aerolínea ofreció alojamiento gratuito a los pasajeros atrapados como un gesto de buena voluntad.
El repentino aumento de vehículos está provocando un gran número de accidentes de tráfico cada día.
Tom no podía descartar del todo la posibilidad de que pudiera resultar despedido del trabajo.
Tom dio voluntariamente una buena parte de su tiempo en ayudar a aquellos menos afortunados que él mismo.
Una incursión antes del amanecer ha incautado una gran reserva de esteroides ilegales y varias bolsas de dinero en efectivo.
Él dijo que pudo oler algo quemándose y que los teléfonos no funcionaban.
Si pudieras volver en el tiempo y empezar tu vida otra vez, ¿de qué edad te gustaría empezar?
Los opositores dicen que las cosechas genéticamente modificadas pueden polinizar y dañar otras cosechas.
El primer grupo estudia en la mañana, y el segundo en la noche.
Tom se las apañó para cortarse mientras intentaba abrir una bolsa de cacahuetes con su navaja de bolsillo.
Podrías buscar por todo el mundo y nunca encontrar a otra mujer más hermosa que Mary.
Él es realmente un tipo muy pundonoroso, por lo que no le agrada la idea de su hijo de cambiar de trabajos.
Me gustaría reducir drásticamente el tiempo que tardo en limpiar la casa.
La escasez de ingenieros es el mayor cuello de botella para el desarrollo de nuestra compañía.
Acusaron a Tom de conducir bajo los efectos del alcohol tras estar implicado en un accidente de tráfico en Boston.
Amnistía Internacional suele organizar protestas públicas en apoyo de prisioneros políticos.
Yo pensaba que solo los osos hibernaban, pero la profesora dijo que las tortugas también lo hacen.
Algunas veces, es difícil decir cuando Tom está siendo serio y cuando él está solamente bromeando.
Tom se inclinó por la ventana de su coche y apretó el botón del intercomunicador en la puerta.
Cuando te cases y tengas hijos, te darás cuenta de que las acciones hablan más que las palabras.
¿Sabes tú la razón por la que dos tercios de los estudiantes no asistieron a la reunión de estudiantes?
Louis Braille, que fue ciego desde la edad de tres años, inventó una forma para que el ciego leyera.
El político dijo que está profundamente endeudado con todos por su apoyo en las elecciones.
Cuando renové mi licencia de conductor tuve que decidir si quería ser donante de órganos.
Debido a circunstancias imprevistas, nuestro viaje a las montañas de este fin de semana será suspendido.
No sé qué pasó anoche, pero ellos no se hablaban esta mañana.
Con el fin de reducir los malentendidos deberíamos aprender las técnicas para comunicarnos satisfactoriamente.
El esperanto, el ido, el interlingua, el klingon, el lojban, el na'vi y el volapük son lenguas artificiales.
Es difícil superar este inconveniente sin cambiar drásticamente todo el sistema.
Los mejores padres del mundo son los que permiten que sus hijos sigan sus talentos naturales.
Tom tiene una foto enmarcada de sus padres en su boda, colgada en la pared del salón.
Después de graduarme de la universidad, me mudé de vuelta a casa y viví con mis padres por tres años.
Si te dedicas a decir siempre lo que se te pasa por la cabeza, es probable que molestes a mucha gente.
Ella le pidió que ayudara a su padre a limpiar el garaje, pero dijo que estaba muy ocupado para ayudar.
Tom tiene que ser cuidadoso con lo que come en los restaurantes porque él es alérgico a varias comidas.
Tom le dijo a Mary que no sería capaz de terminar el trabajo en el tiempo que le había dado.
No creo que sólo porque él haya decidido comer carne de caballo lo haga una mala persona.
No importa que tan cuidadosamente elegís tus palabras, siempre van a ser distorsionadas por los demás.
Considerando que todo lo que he comido en el día entero es nada más que una rebanada de pan, realmente no estoy tan hambriento.
Intenté explicarle los ejercicios de álgebra, pero le entró por una oreja y le salió por la otra.
No sirve de nada que confieses tus pecados ante el párroco si no te lo piensas dos veces antes de repetirlos.
Tom le dijo a los niños que podrían quedarse en esta sala siempre y cuando no hicieran ningún ruido.
No fue hasta mucho tiempo después de que se casaran cuando Tom descubrió que Mary estaba buscada por asesinato.
Tom pudo oír una conmoción frente a su casa, así que salió a ver qué ocurría.
Para evitar que se echen a perder, los peces atrapados mar adentro son refrigerados inmediatamente.
A pesar de que tenía menos apoyo de la clase dominante, pudo ganar el voto popular.
La mayoría de la gente dice que la mejor manera de aprender una lengua extranjera es aprender de un hablante nativo.
El monóxido de carbono es una sustancia venenosa formada a partir de la combustión incompleta de compuestos de carbono.
Tom dejó la leche desatendida en la cocina e hirvió y se derramó por todo el suelo de la cocina.
Sus novedosas ideas lo meten en problemas con sus colegas más conservadores una y otra vez.
Tom le dijo a Mary que pensaba que un hipopótamo podía correr a una velocidad de unos 30 kilómetros por hora.
No me gustan los bares. Son caros, ruidosos y llenos de olores a tabaco y fritanga.
Tom hizo todo lo que estuvo a su alcance para salvar a los niños atrapados en el edificio en llamas.
Si pasas demasiado tiempo al sol sin ponerte protector solar, es probable que te quemes.
Antes de salir de la cama, dedico un momento a pensar sobre lo que haré durante el resto del día.
Tom se preguntó por qué mucha gente en los Estados Unidos piensa que es más interesante ver béisbol que fútbol.
Las gráficas del Super Nintendo son sorprendentes. Son mucho mejores que las del Nintendo original.
Desconecte el cable de poder del modem, espere aproximadamente un minuto, luego vuelva a conectar el cable.
Tom saltó de la cama, se puso algo de ropa, se comió el desayuno y estuvo fuera de casa en solo diez minutos.
Tom y Mary no tienen mucho tiempo para hablar juntos. Sus hijos siempre demandan su atención.
El problema con el mundo no es que la gente sepa muy poco, sino que saben demasiadas cosas que no son verdad.
Tom preguntó a Mary unas pocas cuestiones que no supo contestar, pero ella fue capaz de responder a la mayoría de sus preguntas.
Él empezó a sospechar que algo iba mal cuando el vendedor no le permitió probar el objeto antes de comprarlo.
Nos estamos asegurando de que nadie se esté aprovechando del pueblo americano para su propio interés a corto plazo.
No creo que sea necesario que yo hable como un hablante nativo, tan sólo quiero poder hablar fluidamente.
Un montón de golpes e imprecaciones podían oírse del garaje cuando Tom estaba tratando de reparar la cortadora de césped.
Aún si Tom le contó a Mary acerca de su problema, él no quería escuchar ningún consejo que ella tuviera para resolverlo.
Algo que deberías saber acerca de mí es que mi mayor temor en la vida es que la gente averigüe que yo soy pobre.
Sé que estás molesto porque tu carro quedó destrozado, pero saliste ileso y deberías estar feliz que estás vivo.
El Himalaya se formó por la colisión de las placas tectónicas de la India y Eurasia hace alrededor de 50 millones de años.
Las constantes discusiones de Tom irritan a algunos de sus compañeros. Sin embargo la mayoría de la clase ya aprendió a ignorarlo.
Un hombre pisó la luna. Una muralla cayó en Berlín. Un mundo hizo conexión gracias a nuestra propia ciencia e imaginación.
Tom no sabía el significado de "anglofobia,"así que hizo una búsqueda rápida en la web para ver si podía encontrar qué significaba.
Cuatro de mis villancicos favoritos son "Noche de Paz," "¡Regocijad! Jesús Nació," "La Primera Navidad" y "Venid Pastorcillos."
Tuve suerte de que el policía no me diera una multa por dar una vuelta en U en una intersección que no tenía una señal de vuelta en U.
La primera rueda de la fortuna del mundo fue construida en Chicago. Fue llamada en honor a su constructor, George Washington Gale Ferris Jr.
Solía ver harto este animé cuando era niño, pero no recuerdo bien qué le pasaba al héroe en el último capítulo.
Un buen reportero se aprovecha de lo que obtiene de cualquier fuente, incluso de las del tipo "me lo ha dicho un pajarito".
Se están usando imágenes de satélite en un intento de reducir el área del océano Índico donde se han observado restos flotantes.
En 1964, Roger Miller acordó grabar dieciséis canciones. Una de esas canciones fue "Maldíceme". Se convirtió en su primer número uno de ventas.
Creo que es una vergüenza que algunos profesores de lengua extranjera hayan podido graduarse de la universidad sin nunca haber estudiado con un hablante nativo.
